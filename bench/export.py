"""A guest list as a file: 10,000 guests beside the same rows written bare, and the memory of 10,000 beside 100,000.

Times are the server's, from the request to the last byte, in one process without a socket. Memory is the peak of a
process of its own that exports once. `python -m bench.export` prints the table.
"""

import csv
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from bench.figures import Figure, table

SMALL, BIG = 10_000, 100_000
BOUNDS = {"csv": 1.5, "xlsx": 4.0}
FLAT = 1.25
TIMES = 3
FIELDS = ("name", "email", "status", "ticket_class_name", "registered_at", "checked_in_at")


def main() -> int:
    figures = measure()
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure() -> list[Figure]:
    from tests.support import postgres

    figures = _figures("SQLite", {})
    with postgres.running() as url:
        return figures + _figures("PostgreSQL", {"DATABASE_URL": f"{url}/foyer"})


def _figures(database: str, environment: dict[str, str]) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="foyer-bench-") as folder:
        env = os.environ | {"FOYER_DATA": folder, "FOYER_ALLOWED_HOSTS": "testserver", "FOYER_LOG_LEVEL": "ERROR"}
        env |= environment
        _asked("gather", env=env)
        return [figure for kind in BOUNDS for figure in _of_kind(database, kind, env)]


def _of_kind(database: str, kind: str, env: dict[str, str]) -> list[Figure]:
    took = _asked("time", kind, env=env)
    small, big = (_asked("memory", kind, str(size), env=env) for size in (SMALL, BIG))
    return [
        Figure(
            what=f"{database}, export of {SMALL:,} guests, {kind.upper()} (worst of {TIMES})",
            value=f"{took['ours']:.2f} s, {took['bytes'] / 1_000:,.0f} kB",
            baseline=f"{took['bare']:.2f} s for the same rows in one query, written bare",
            bound=f"≤ {BOUNDS[kind]:g} s",
            fine=took["ours"] <= BOUNDS[kind],
        ),
        Figure(
            what=f"{database}, peak memory of an export of {BIG:,} guests, {kind.upper()}",
            value=f"{big['peak']:.0f} MB ({big['idle']:.0f} before), {big['took']:.1f} s",
            baseline=f"{small['peak']:.0f} MB ({small['idle']:.0f} before) with {SMALL:,}",
            bound=f"≤ {FLAT:g} × {SMALL:,}",
            fine=big["peak"] <= FLAT * small["peak"],
        ),
    ]


def _asked(*arguments: str, env: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.export", *arguments]
    return json.loads(subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout)


def _gather() -> dict[str, Any]:
    from django.core.management import call_command

    from bench.crowd import gather

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    gather(SMALL, BIG, rare="qvz")
    return {}


def _time(kind: str) -> dict[str, Any]:
    export = _exports(kind, SMALL)
    export()
    ours = [_took(export) for _ in range(TIMES)]
    bare = [_took(lambda: _bare(kind)) for _ in range(TIMES)]
    return {"ours": max(ours), "bare": max(bare), "bytes": export()}


def _memory(kind: str, size: int) -> dict[str, Any]:
    """The first request of a process loads much; the peak is of what comes after it."""
    _exports(kind, SMALL, "q=nobodyatall")()
    export, idle = _exports(kind, size), _peak()
    took = _took(export)
    return {"idle": idle, "peak": _peak(), "took": took}


def _exports(kind: str, size: int, query: str = "") -> Callable[[], int]:
    from django.test import Client
    from django.urls import reverse

    from organizer.accounts.models import User
    from organizer.events.models import Event

    client = Client()
    client.force_login(User.objects.get())
    event = Event.objects.get(remote_id=f"event-{size}")
    address = f"{reverse('attendees:export_for_event', args=['bench', event.pk])}?{query}&as={kind}"

    def export() -> int:
        answer = client.get(address)
        assert answer.status_code == 200
        number = sum(len(piece) for piece in answer.streaming_content)
        answer.close()
        return number

    return export


def _bare(kind: str) -> None:
    """One query, and what writes a file; nobody asks whose text it is."""
    from openpyxl import Workbook

    from organizer.attendees.models import Attendee

    rows = Attendee.objects.filter(event__remote_id=f"event-{SMALL}").order_by("-registered_at", "-id")
    if kind == "csv":
        csv.writer(io.StringIO()).writerows(rows.values_list(*FIELDS))
        return
    book = Workbook(write_only=True)
    page = book.create_sheet()
    for row in rows.values_list(*FIELDS):
        page.append([cell.replace(tzinfo=None) if hasattr(cell, "tzinfo") else cell for cell in row])
    with tempfile.TemporaryFile() as file:
        book.save(file)


def _took(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _child(act: str, *arguments: str) -> dict[str, Any]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    if act == "gather":
        return _gather()
    return _time(arguments[0]) if act == "time" else _memory(arguments[0], int(arguments[1]))


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(json.dumps(_child(*sys.argv[1:])))
    else:
        sys.exit(main())
