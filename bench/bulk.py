"""Starting a bulk over 10,000 guests: from the click to the answer, in the server. bench.outbox has what comes after.

The baseline is a decision about one guest in the same run. `python -m bench.bulk` prints the table.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from bench.figures import Figure, milliseconds, percentile, table

GUESTS, OF_ALL = 10_000, 12_700
"""So many are to be decided about; four in five of the crowd are of that status."""
TIMES = 5
BOUND = 1.0


def main() -> int:
    figures = measure()
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure() -> list[Figure]:
    from tests.support import postgres

    figures = [_figure("SQLite", _in_a_process({}))]
    with postgres.running(durable=True) as url:
        return [*figures, _figure("PostgreSQL", _in_a_process({"DATABASE_URL": f"{url}/foyer"}))]


def _in_a_process(environment: dict[str, str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="foyer-bench-") as folder:
        env = os.environ | {"FOYER_DATA": folder, "FOYER_ALLOWED_HOSTS": "testserver", "FOYER_LOG_LEVEL": "ERROR"}
        command = [sys.executable, "-m", "bench.bulk", "measure"]
        done = subprocess.run(command, env=env | environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _figure(database: str, measured: dict[str, Any]) -> Figure:
    worst, total = max(measured["many"]), measured["total"]
    return Figure(
        what=f"{database}, starting a bulk over {total:,} guests (worst of {TIMES})",
        value=milliseconds(worst),
        baseline=f"{milliseconds(percentile(measured['one'], 0.5))} to decide about one guest (p50)",
        bound=f"≤ {BOUND:.0f} s",
        fine=worst <= BOUND and total >= GUESTS,
    )


def _measure() -> dict[str, Any]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from bench.crowd import gather
    from organizer.attendees.models import Attendee
    from organizer.sync.models import Batch

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner, organization, events = gather(OF_ALL, rare="qvz")
    client, event = Client(), events[OF_ALL]
    client.force_login(owner)
    guests = f"/o/{organization.slug}/guests"

    def post(address: str, **form: Any) -> float:
        began = time.perf_counter()
        answer = client.post(f"{guests}/{address}", form)
        taken = time.perf_counter() - began
        assert answer.status_code == 302, answer.status_code
        return taken

    everybody = {"everybody": "1", "filters": "?status=valid", "event": event.pk}
    many = [post("decide/return/", **everybody) for _ in range(TIMES)]
    some = Attendee.objects.filter(event=event, status="valid").values_list("pk", flat=True)[:20]
    one = [post(f"{guest}/decide/return/", seen="valid") for guest in some]
    return {"many": many, "one": one, "total": Batch.objects.latest("created_at").total}


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        sys.stdout.write(json.dumps(_measure()))
    else:
        sys.exit(main())
