"""What a start needs of one side, in one Python: tables, demo, static files. Each step is safe to repeat.

`python -m deploy.prepare dashboard` says on stdout whether the demo's connection works, and then which of the demo's
suppliers it does not know; `… servers` is silent.
"""

import os
import sys
from pathlib import Path

SETTINGS = {"dashboard": "dashboard.settings", "servers": "servers.settings"}


def main(side: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = SETTINGS[side]
    os.environ["FOYER_PROCESS"] = os.environ["SERVERS_PROCESS"] = "command"
    import django

    django.setup()
    migrate()
    seed()
    collect_static()
    if side == "dashboard":
        said = ["connected" if demo_is_connected() else "not connected", *unknown_suppliers()]
        sys.stdout.write("\n".join(said))


def migrate() -> None:
    """Asks first: applying nothing costs several times what asking costs."""
    from django.core.management import call_command

    try:
        call_command("migrate", check_unapplied=True, verbosity=0, stdout=sys.stderr)
    except SystemExit:
        call_command("migrate", interactive=False, verbosity=0, stdout=sys.stderr)


def seed() -> None:
    from django.core.management import call_command

    call_command("seed_demo", stdout=sys.stderr)


def collect_static() -> None:
    """Only when a source file has changed since: hashing and compressing takes seconds."""
    from django.conf import settings
    from django.contrib.staticfiles.finders import get_finders
    from django.core.management import call_command

    files = [Path(store.path(name)) for finder in get_finders() for name, store in finder.list([])]
    state = "\n".join(sorted(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files))
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    if not stamp.exists() or stamp.read_text() != state:
        call_command("collectstatic", interactive=False, clear=stamp.exists(), verbosity=0)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(state)


def demo_is_connected() -> bool:
    from django.conf import settings

    from organizer.accounts.models import Organization
    from organizer.connections.models import Health, Service
    from organizer.connections.queries import live

    connection = live(Organization.objects.get(slug="demo"), Service.EVENTS)
    if connection is None:
        return False
    if not connection.url.startswith("http://127.0.0.1:"):
        return True  # somebody pointed the demo at a provider: that is theirs to mend
    ours = connection.url.startswith(f"http://127.0.0.1:{settings.SERVERS_PORT}")
    return ours and connection.health != Health.KEY_REFUSED


def unknown_suppliers() -> list[str]:
    """Those that are known have their address mended where our own servers moved to another port."""
    from django.conf import settings

    from deploy.suppliers import KEYS
    from organizer.connections import actions, vault
    from organizer.webhooks.models import Vendor

    url = f"http://127.0.0.1:{settings.SERVERS_PORT}/api/vendor/v1"
    known = {one.key: one for one in Vendor.objects.filter(key__in=KEYS).select_related("connection__organization")}
    for vendor in known.values():
        connection = vendor.connection
        if connection and connection.live and connection.url != url and connection.url.startswith("http://127.0.0.1:"):
            key = vault.opened(connection)
            actions.keep_supplier(
                organization=connection.organization, url=url, key=key, by=None, connection=connection
            )
    return [key for key in KEYS if key not in known]


if __name__ == "__main__":
    main(sys.argv[1])
