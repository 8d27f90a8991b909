"""The day-of view and Overview of an event of 1,000 and of 100,000 guests, half of them inside, on both databases.

They came by four doors, which turned one ticket away for each twenty guests.

Times are the server's, as in `bench.guest_list`; a part is what an open page asks for. `python -m bench.dayof` prints
the table.
"""

import json
import os
import subprocess
import sys
import tempfile
from datetime import timedelta
from typing import Any

from bench.figures import Figure, table
from bench.guest_list import BIG, SMALL, said, times

FLAT = 2.0
BOUND = 0.025
DOORS = ("Main door", "Press desk", "Garden", "")
WHY = ("already_in", "unknown", "pending", "other_event", "no_ticket")
PART = {"HTTP_HX_REQUEST": "true"}


def main() -> int:
    figures = measure()
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure() -> list[Figure]:
    from tests.support import postgres

    figures = _figures("SQLite", _in_a_process({}))
    with postgres.running() as url:
        return figures + _figures("PostgreSQL", _in_a_process({"DATABASE_URL": f"{url}/foyer"}))


def _in_a_process(environment: dict[str, str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="foyer-bench-") as folder:
        env = os.environ | {"FOYER_DATA": folder, "FOYER_ALLOWED_HOSTS": "testserver", "FOYER_LOG_LEVEL": "ERROR"}
        command = [sys.executable, "-m", "bench.dayof", "measure"]
        done = subprocess.run(command, env=env | environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _figures(database: str, measured: dict[str, Any]) -> list[Figure]:
    figures = []
    for name, of_size in measured.items():
        small, big = of_size[str(SMALL)], of_size[str(BIG)]
        figures.append(
            Figure(
                what=f"{database}, {name}, {BIG:,} guests",
                value=f"{said(big)}, {big['queries']} queries",
                baseline=f"{said(small)} with {SMALL:,}",
                bound=f"p50 ≤ {FLAT:.0f} × {SMALL:,} and ≤ {BOUND * 1000:.0f} ms",
                fine=big["p50"] <= FLAT * small["p50"] and big["p50"] <= BOUND,
            )
        )
    return figures


def _measure() -> dict[str, Any]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.urls import reverse

    from bench.crowd import gather

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner, organization, events = gather(SMALL, BIG, rare="qvz")
    for size, event in events.items():
        _let_in(event, size // 2)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "PRAGMA analysis_limit=0")
    client = Client()
    client.force_login(owner)
    pages: dict[str, dict[str, Any]] = {"day-of view": {}, "day-of view, its part": {}, "day-of view, unchanged": {}}
    for size, event in events.items():
        address = reverse("overview:today", args=[organization.slug, event.pk])
        of_part = PART | {"HTTP_HX_TARGET": "today"}
        tag = {"HTTP_IF_NONE_MATCH": client.get(address, **of_part)["ETag"]}
        for name, headers in zip(pages, ({}, of_part, of_part | tag), strict=True):
            pages[name][str(size)] = times(lambda a=address, h=headers: client.get(a, **h))
    return pages


def _let_in(event: Any, number: int) -> None:
    """Over two hours, the event being an hour old: by the kept counts, which is all that is asked."""
    from django.utils import timezone

    from organizer.attendees.models import Scan, StatusCount
    from organizer.attendees.rules import SLOT, slot
    from organizer.kit.ids import new_id

    event.starts_at = timezone.now() - timedelta(hours=1)
    event.ends_at = event.starts_at + timedelta(hours=6)
    event.save()
    first, classes = slot(event.starts_at - timedelta(hours=1)), list(event.ticket_classes.all())
    StatusCount.objects.filter(event=event, status="checked_in").delete()
    StatusCount.objects.bulk_create(
        StatusCount(
            event=event, ticket_class=of, status="checked_in", slot=first + step * SLOT, door=DOORS[step % len(DOORS)],
            count=number // 75 + 1,
        )
        for of in classes
        for step in range(25)
    )  # fmt: skip
    Scan.objects.bulk_create(
        Scan(
            id=new_id(), organization_id=event.organization_id, event=event, asked=f"{ticket:064x}", verdict=verdict,
            refused=verdict != "admitted", door=DOORS[ticket % len(DOORS)], by_name="Dora",
        )
        for ticket in range(number)
        for verdict in [WHY[ticket // 10 % len(WHY)] if ticket % 10 == 0 else "admitted"]
    )  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        sys.stdout.write(json.dumps(_measure()))
    else:
        sys.exit(main())
