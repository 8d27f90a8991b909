"""The guest list of 1,000 and of 100,000 guests, on SQLite and on PostgreSQL, beside a bare view of the same run.

Times are the server's: Django's handler with all middleware, in one process, without a socket. The bare view loads
session and user and reads one row. `python -m bench.guest_list` prints the table.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from bench.figures import Figure, percentile, table

COMMON, RARE, MISSING = "ann", "qvz", "zzx"
SMALL, BIG = 1_000, 100_000
NUMBER = 40
SEARCH_BOUND = 0.060
FLAT = 2.0
QUERIES = 11
PAGES = {
    "first page": "",
    "page by name": "sort=name",
    "page by arrival": "sort=checked_in",
    "page of one status": "status=valid",
    "needs attention": "odd=1",
    "search, common": f"q={COMMON}",
    "search, rare": f"q={RARE}",
    "search, missing": f"q={MISSING}",
    "search, two letters": "q=lu",
    "search, two words": "q=anna+nkosi",
    "search, ticket code": "q=foy000000777",
    "search, common, one status": f"q={COMMON}&status=deleted",
    "search, common, by name": f"q={COMMON}&sort=name",
    "search, common, needs attention": f"q={COMMON}&odd=1",
}


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
        command = [sys.executable, "-m", "bench.guest_list", "measure"]
        done = subprocess.run(command, env=env | environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _figures(database: str, measured: dict[str, Any]) -> list[Figure]:
    bare = measured["bare"]
    figures = []
    for name, of_size in measured["pages"].items():
        small, big = of_size[str(SMALL)], of_size[str(BIG)]
        searches = name.startswith("search")
        fine = big["p95"] <= SEARCH_BOUND if searches else big["p50"] <= FLAT * small["p50"]
        figures.append(
            Figure(
                what=f"{database}, {name}, {BIG:,} guests",
                value=f"{said(big)}, {big['queries']} queries, {big['p50'] / bare['p50']:.1f} × the bare view",
                baseline=f"{said(small)} with {SMALL:,}; bare view {said(bare)}",
                bound=f"p95 ≤ {SEARCH_BOUND * 1000:.0f} ms" if searches else f"p50 ≤ {FLAT:.0f} × {SMALL:,}",
                fine=fine and big["queries"] <= QUERIES,
            )
        )
    return figures


def said(times: dict[str, float]) -> str:
    return f"p50 {times['p50'] * 1000:.1f}, p95 {times['p95'] * 1000:.1f} ms"


def _measure() -> dict[str, Any]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.http import HttpRequest, HttpResponse
    from django.test import Client
    from django.urls import path, reverse

    from bench.crowd import gather
    from dashboard import urls
    from organizer.events.models import Event

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner, organization, events = gather(SMALL, BIG, rare=RARE)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "PRAGMA analysis_limit=0")

    def bare(request: HttpRequest) -> HttpResponse:
        return HttpResponse(f"{request.user} {Event.objects.values_list('name').get(pk=events[SMALL].pk)}")

    urls.urlpatterns.append(path("bare/", bare))
    client = Client()
    client.force_login(owner)
    lists = {size: reverse("attendees:for_event", args=[organization.slug, event.pk]) for size, event in events.items()}
    return {
        "bare": times(lambda: client.get("/bare/")),
        "pages": {
            name: {str(size): times(lambda a=f"{address}?{query}": client.get(a)) for size, address in lists.items()}
            for name, query in PAGES.items()
        },
    }


def times(ask: Callable[[], Any]) -> dict[str, float]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    assert ask().status_code in (200, 304)
    with CaptureQueriesContext(connection) as queries:
        ask()
    number = len(queries)  # the next request forgets them
    taken = []
    for _ in range(NUMBER):
        began = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - began)
    return {"p50": percentile(taken, 0.5), "p95": percentile(taken, 0.95), "queries": number}


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        sys.stdout.write(json.dumps(_measure()))
    else:
        sys.exit(main())
