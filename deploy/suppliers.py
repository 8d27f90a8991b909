"""The demo's suppliers, made known to the dashboard: for each of them two programs, joined by a pipe.

The first makes a supplier's credentials and prints them as one line of JSON, `{"orders_key": …, "secret": …}`; the
second reads that line from its input. They stand in no argument, file or log. Run it where the dashboard's demo
organization does not know a supplier yet: each run issues new credentials.
"""

from servers.demo.offers import SUPPLIERS

Program = list[str]
KEYS = tuple(planned.key for planned in SUPPLIERS)
"""Of the suppliers that `python -m servers seed_demo` makes."""


def commands(key: str, *, retail_url: str, servers_url: str) -> tuple[Program, Program]:
    """What to run behind `python -m servers` and, fed by it, behind `python manage.py`."""
    [planned] = [one for one in SUPPLIERS if one.key == key]
    make = ["create_supplier", key, "--notify", f"{retail_url}/api/webhooks/{key}"]
    keep = ["add_vendor", "--organization", "demo", "--key", key, "--name", planned.name, "--auth", planned.auth]
    keep += ["--header", planned.header] if planned.auth == "hmac" else ["--allow", "127.0.0.1/32"]
    return make, [*keep, "--orders-url", f"{servers_url}/api/vendor/v1", "--credentials-stdin"]
