"""Server time of every page on the demo's data, on SQLite and on PostgreSQL, beside a bare view of the same run.

Times are those of the WSGI handler with all middleware, in one process, without a socket, for a browser that takes
gzip; pages take turns, since a machine's pace changes. `python -m bench.server_time` prints the table, and every page.
"""

import http
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.util import setup_testing_defaults

from bench.figures import Figure, percentile, table

ROUNDS = int(os.environ.get("ROUNDS", "30"))
BOUND = 0.025
WORST = 5
Times = dict[str, list[tuple[float, float]]]


def main() -> int:
    figures = measure()
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure() -> list[Figure]:
    from tests.support import postgres
    from tests.support.stack import Stack

    with Stack() as stack:
        figures = _figures("SQLite", _of(stack))
    with postgres.running() as url, Stack(database=f"{url}/foyer") as stack:
        return figures + _figures("PostgreSQL", _of(stack))


def _of(stack: Any) -> Times:
    """The processes are gone while it is measured: nothing moves beside it."""
    from tests.browser import addresses

    stack.wait_for_guests()
    stack.take_deliveries()
    stack.take_orders()
    paths = {name: addresses.of(stack, name).removeprefix(stack.url) for name in addresses.PATHS}
    for name in ("web", "worker", "work"):
        stack.kill(name)
    return json.loads(stack.run("-m", "bench.server_time", json.dumps(paths)))


def _figures(database: str, taken: Times) -> list[Figure]:
    bare = taken.pop("bare")
    order = sorted(taken, key=lambda name: _p50(taken[name]), reverse=True)
    sys.stderr.writelines(f"{database}, {name}: {_said(taken[name])}\n" for name in order)
    above = [name for name in order if _p50(taken[name]) > BOUND]
    bound = f"p50 ≤ {BOUND * 1000:.0f} ms"
    all_of_them = Figure(
        what=f"{database}, server time of all {len(order)} pages, 2,000 guests",
        value=f"{len(above)} above the bound",
        baseline=f"bare view {_said(bare)}",
        bound=bound,
        fine=not above,
    )
    return [
        all_of_them,
        *(
            Figure(
                what=f"{database}, {name.replace('-', ' ')}",
                value=_said(taken[name]),
                baseline=f"{_p50(taken[name]) / _p50(bare):.1f} × the bare view",
                bound=bound,
                fine=name not in above,
            )
            for name in order[:WORST]
        ),
    ]


def _p50(taken: Iterable[tuple[float, float]]) -> float:
    return percentile([wall for wall, _ in taken], 0.5)


def _said(taken: Iterable[tuple[float, float]]) -> str:
    processor = percentile([processor for _, processor in taken], 0.5)
    return f"p50 {_p50(taken) * 1000:.1f} ms, of the processor {processor * 1000:.1f}"


def _measure(paths: dict[str, str]) -> Times:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from django.db import connection
    from django.http import HttpRequest, HttpResponse
    from django.urls import path

    from dashboard import urls
    from dashboard.wsgi import application
    from organizer.accounts.models import User
    from organizer.events.models import Event

    def bare(request: HttpRequest) -> HttpResponse:
        return HttpResponse(f"{request.user} {Event.objects.values_list('name').first()}")

    urls.urlpatterns.append(path("bare/", bare))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    cookie = _signed_in(User.objects.get(email="owner@demo.test"))
    taken: Times = {name: [] for name in ("bare", *paths)}
    for number in range(-2, ROUNDS):  # the first two warm up
        for name, address in {"bare": "/bare/", **paths}.items():
            times = _asked(application, address, cookie)
            if number >= 0:
                taken[name].append(times)
    return taken


def _signed_in(person: Any) -> str:
    from django.test import Client

    client = Client()
    client.force_login(person)
    zone = "foyer_zone=Europe%2FBerlin"
    return "; ".join([zone, *(f"{name}={morsel.value}" for name, morsel in client.cookies.items())])


def _asked(application: Callable[..., Any], address: str, cookie: str) -> tuple[float, float]:
    path, _, query = address.partition("?")
    environ = {
        "PATH_INFO": path, "QUERY_STRING": query, "HTTP_COOKIE": cookie, "HTTP_ACCEPT_ENCODING": "gzip",
        "REMOTE_ADDR": "127.0.0.1",
    }  # fmt: skip
    setup_testing_defaults(environ)
    said: list[str] = []
    began, worked = time.perf_counter(), time.process_time()
    answer = application(environ, lambda status, headers: said.append(status))
    b"".join(answer)
    answer.close()
    times = time.perf_counter() - began, time.process_time() - worked
    assert int(said[0][:3]) in (http.HTTPStatus.OK, http.HTTPStatus.NOT_FOUND), f"{address}: {said[0]}"
    return times


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(json.dumps(_measure(json.loads(sys.argv[1]))))
    else:
        sys.exit(main())
