"""A file of 10,000 guests, from the click to the answer, in the server: read, tried out, and started.

The event has 10,000 guests already, a tenth of whom are in the file. The baselines are of the same run: the same bytes
read bare by the csv module and by openpyxl. `python -m bench.imports` prints the table.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO, StringIO
from typing import Any

from bench.figures import Figure, milliseconds, table

GUESTS = 10_000
TIMES = 3
DRY_RUN, START = 5.0, 1.0


def main() -> int:
    figures = measure()
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure() -> list[Figure]:
    from tests.support import postgres

    figures = _figures("SQLite", _in_a_process({}))
    with postgres.running(durable=True) as url:
        return [*figures, *_figures("PostgreSQL", _in_a_process({"DATABASE_URL": f"{url}/foyer"}))]


def _in_a_process(environment: dict[str, str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="foyer-bench-") as folder:
        env = os.environ | {"FOYER_DATA": folder, "FOYER_ALLOWED_HOSTS": "testserver", "FOYER_LOG_LEVEL": "ERROR"}
        command = [sys.executable, "-m", "bench.imports", "measure"]
        done = subprocess.run(command, env=env | environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _figures(database: str, measured: dict[str, Any]) -> list[Figure]:
    figures = [_dry_run(database, kind, **measured[kind]) for kind in ("CSV", "XLSX")]
    worst, slices = max(measured["start"]), measured["slice"]
    began = Figure(
        what=f"{database}, starting an import of {measured['goes']:,} guests (worst of {TIMES})",
        value=milliseconds(worst),
        baseline=f"{milliseconds(max(slices))} for the worker's slice of 200 (worst of {len(slices)})",
        bound=f"≤ {START:.0f} s",
        fine=worst <= START,
    )
    return [*figures, began]


def _dry_run(database: str, kind: str, whole: list[float], tried: list[float], bare: list[float]) -> Figure:
    return Figure(
        what=f"{database}, {kind}: {GUESTS:,} rows read and tried out (worst of {TIMES})",
        value=f"{milliseconds(max(whole))}, of which trying out {milliseconds(max(tried))}",
        baseline=f"{milliseconds(min(bare))} to read the same bytes bare",
        bound=f"≤ {DRY_RUN:.0f} s",
        fine=max(whole) <= DRY_RUN,
    )


def _measure() -> dict[str, Any]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from bench.crowd import gather
    from organizer.imports.models import Import
    from organizer.sync import batches

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner, organization, events = gather(GUESTS, rare="qvz")
    client, event = Client(), events[GUESTS]
    client.force_login(owner)
    start = f"/o/{organization.slug}"
    said = {"column-0": "email", "column-1": "name", "ticket_class": f"class-{GUESTS}-0", "status": "valid"}

    def post(address: str, form: dict[str, Any]) -> float:
        began = time.perf_counter()
        answer = client.post(f"{start}/{address}", form)
        taken = time.perf_counter() - began
        assert answer.status_code == 302, answer.content[:500]
        return taken

    def once(name: str, data: bytes) -> tuple[float, float]:
        file = BytesIO(data)
        file.name = name
        read = post(f"events/{event.pk}/import/", {"file": file})
        latest = Import.objects.latest("created_at")
        return read, post(f"imports/{latest.pk}/columns/", said)

    measured: dict[str, Any] = {"start": [], "slice": []}
    for kind, data, bare in (("CSV", _csv(), _bare_csv), ("XLSX", _xlsx(), _bare_xlsx)):
        runs = [once(f"guests.{kind.lower()}", data) for _ in range(TIMES)]
        plain = [_timed(bare, data) for _ in range(TIMES)]
        measured[kind] = {"whole": [*map(sum, runs)], "tried": [tried for _read, tried in runs], "bare": plain}
    for found in Import.objects.order_by("created_at")[:TIMES]:
        measured["start"].append(post(f"imports/{found.pk}/start/", {}))
    found = Import.objects.exclude(batch=None).select_related("batch").order_by("created_at")[0]
    measured["goes"] = found.batch.total if found.batch else 0
    measured["slice"] = [_timed(batches.expand, found.batch_id) for _ in range(5)]
    return measured


def _timed(call: Callable[[Any], Any], value: Any) -> float:
    began = time.perf_counter()
    call(value)
    return time.perf_counter() - began


def _rows() -> list[tuple[str, ...]]:
    """A tenth of them are guests already; some have no address or an odd one."""
    return [
        (_address(number), f"Łucja {number} Wójcik", f"House {number % 97}", str(number % 12), "so it is")
        for number in range(GUESTS)
    ]


def _address(number: int) -> str:
    if number % 100 == 7:
        return "" if number % 200 == 7 else "nowhere"
    return f"guest{number}@mail{number % 31}.test" if number % 10 == 0 else f"new{number}@file.test"


def _csv() -> bytes:
    text = StringIO()
    csv.writer(text, delimiter=";").writerows([("Email", "Name", "Company", "Table", "Note"), *_rows()])
    return text.getvalue().encode()


def _xlsx() -> bytes:
    import openpyxl

    book, file = openpyxl.Workbook(write_only=True), BytesIO()
    sheet = book.create_sheet()
    for row in [("Email", "Name", "Company", "Table", "Note"), *_rows()]:
        sheet.append(row)
    book.save(file)
    return file.getvalue()


def _bare_csv(data: bytes) -> None:
    list(csv.reader(StringIO(data.decode()), delimiter=";"))


def _bare_xlsx(data: bytes) -> None:
    import openpyxl

    list(openpyxl.load_workbook(BytesIO(data), read_only=True).worksheets[0].iter_rows(values_only=True))


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        sys.stdout.write(json.dumps(_measure()))
    else:
        sys.exit(main())
