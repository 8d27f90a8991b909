"""The webhook log with 10,000 and with 1,000,000 deliveries of 30 days, on SQLite and on PostgreSQL.

Times are the server's: Django's handler with all middleware, in one process, without a socket. Rows are made by one
statement from one that the receiver stored. `python -m bench.deliveries` prints the table; with `sqlite` or
`postgresql` for that database alone.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from bench.figures import Figure, percentile, table

SMALL, BIG = 10_000, 1_000_000
NUMBER = 15
BOUND = 0.200
DAYS = 30
ALL = "range=30d"
PAGES = {
    "last 24 hours": "webhooks/",
    "last 30 days": f"webhooks/?{ALL}",
    "changed (84 %)": f"webhooks/?{ALL}&outcome=changed",
    "failed (0.3 %)": f"webhooks/?{ALL}&outcome=failed",
    "waiting > 2 min": f"webhooks/?{ALL}&late=1",
    "a busy supplier": f"webhooks/?{ALL}&vendor=acme-{{size}}",
    "a rare supplier (0.1 %)": f"webhooks/?{ALL}&vendor=rare-{{size}}",
    "a common event": f"webhooks/?{ALL}&event=order.accepted",
    "a rare event (0.2 %)": f"webhooks/?{ALL}&event=order.odd",
    "by address (0.1 %)": f"webhooks/?{ALL}&auth=ip",
    "repeated (0.5 %)": f"webhooks/?{ALL}&repeated=1",
    "worth a look (0.2 %)": f"webhooks/?{ALL}&odd=1",
    "two filters": f"webhooks/?{ALL}&outcome=failed&vendor=acme-{{size}}",
    "one hour, ten days ago": "webhooks/?since={then}&until={later}",
    "search, a reference": "webhooks/?q=R-777",
    "search, a common beginning": "webhooks/?q=R-",
    "search, a delivery id": "webhooks/?q=id-5000",
    "search, an event": "webhooks/?q=order.odd",
    "search, an address": "webhooks/?q=203.0.113.7",
    "search, nothing": "webhooks/?q=zzz",
    "what is new": f"webhooks/news/?{ALL}&newest={{then}}",
    "a delivery": "webhooks/deliveries/{one}/",
    "rejected": "webhooks/rejected/",
    "suppliers": "webhooks/suppliers/",
    "a supplier": "webhooks/suppliers/{vendor}/",
}
_COLUMNS = """organization_id, vendor_id, dedupe_key, delivery_id, id_header, body, body_hash, body_size, beginning,
  content_type, headers, source, proxies, auth, secret_number, event, reference, reference_field, flags, odd, action,
  outcome, settled_at, duplicates, received_at, took"""
_ROWS = """INSERT INTO webhooks_delivery ({columns})
  SELECT d.organization_id, CASE WHEN n %% 1000 = 0 THEN %s ELSE d.vendor_id END, {hash}, 'id-' || n, 'X-Webhook-Id',
    d.body, d.body_hash, d.body_size, d.beginning, d.content_type, d.headers,
    {address}, 0, CASE WHEN n %% 1000 = 0 THEN 'ip' ELSE 'hmac' END, 1,
    CASE WHEN n %% 500 = 0 THEN 'order.odd' WHEN n %% 3 = 0 THEN 'order.placed' ELSE 'order.accepted' END,
    'R-' || (n / 3), 'reference', d.flags, {odd}, 'reconcile',
    CASE WHEN n %% 300 = 0 THEN 'failed' WHEN n %% 900 = 1 THEN 'waiting' WHEN n %% 7 = 0 THEN 'unchanged'
      WHEN n %% 40 = 3 THEN 'no_match' ELSE 'changed' END,
    d.received_at, CASE WHEN n %% 200 = 0 THEN 1 ELSE 0 END, {at}, 900
  FROM webhooks_delivery d, {numbers} WHERE d.id = %s"""
IN = {
    "postgresql": {
        "hash": "sha256(('i:id-' || n)::bytea)",
        "address": "('10.0.' || (n / 256) %% 256 || '.' || n %% 256)::inet",
        "odd": "n %% 500 = 1",
        "at": "d.received_at - n * interval '1 second' * {step}",
        "numbers": "generate_series(1, {size}) n",
    },
    "sqlite": {
        "hash": "sha256('i:id-' || n)",
        "address": "'10.0.' || (n / 256) %% 256 || '.' || n %% 256",
        "odd": "n %% 500 = 1",
        "at": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', d.received_at, '-' || (n * {step}) || ' seconds') || '000'",
        "numbers": (
            "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {size}) SELECT n FROM r)"
        ),
    },
}


def main(*databases: str) -> int:
    figures = measure(*databases)
    sys.stdout.write(table(figures) + "\n")
    return 0 if all(figure.fine for figure in figures) else 1


def measure(*databases: str) -> list[Figure]:
    found = of_each_database("bench.deliveries", *databases)
    return [
        figure(f"{database}, {name}, {BIG:,} deliveries", of_size[str(BIG)], of_size[str(SMALL)], SMALL)
        for database, measured in found
        for name, of_size in measured.items()
    ]


def of_each_database(module: str, *databases: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What `python -m MODULE measure` says, with an installation of its own on each."""
    from tests.support import postgres

    if not databases or "sqlite" in databases:
        yield "SQLite", _in_a_process(module, {})
    if not databases or "postgresql" in databases:
        with postgres.running() as url:
            yield "PostgreSQL", _in_a_process(module, {"DATABASE_URL": f"{url}/foyer"})


def _in_a_process(module: str, environment: dict[str, str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="foyer-bench-") as folder:
        env = os.environ | {"FOYER_DATA": folder, "FOYER_ALLOWED_HOSTS": "testserver", "FOYER_LOG_LEVEL": "ERROR"}
        env["FOYER_ALLOW_PRIVATE_ADDRESSES"] = "1"
        command = [sys.executable, "-m", module, "measure"]
        done = subprocess.run(command, env=env | environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # the receiver logs what it refuses


def figure(what: str, big: dict[str, float], small: dict[str, float], size: int) -> Figure:
    return Figure(
        what=what,
        value=f"{_said(big)}, of the web process {big['work'] * 1000:.0f}, {big['queries']} queries",
        baseline=f"{_said(small)} with {size:,}; bare view p50 {big['bare'] * 1000:.1f} ms",
        bound=f"p95 ≤ {BOUND * 1000:.0f} ms",
        fine=big["p95"] <= BOUND,
    )


def _said(times: dict[str, float]) -> str:
    return f"p50 {times['p50'] * 1000:.0f}, p95 {times['p95'] * 1000:.0f} ms"


def times_of(
    pages: dict[str, str], gather: Callable[[Any, int], dict[str, Any]], sizes: Sequence[int]
) -> dict[str, Any]:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.http import HttpRequest, HttpResponse
    from django.test import Client
    from django.urls import path as at

    from dashboard import urls
    from organizer.accounts.models import Organization, User

    def bare(request: HttpRequest) -> HttpResponse:
        return HttpResponse(f"{request.user} {Organization.objects.order_by('pk')[0]}")

    urls.urlpatterns.append(at("bare/", bare))
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    owner = User.objects.create_user("owner@bench.test")
    places = {size: gather(owner, size) for size in sizes}
    if connection.vendor == "postgresql":  # as its autovacuum leaves it; nobody analyzes a SQLite file
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    client = Client()
    client.force_login(owner)
    return {
        name: {
            str(size): _times(client, place["at"] + path.format(**place)) | {"bare": _times(client, "/bare/")["p50"]}
            for size, place in places.items()
        }
        for name, path in pages.items()
    }


def gather(owner: Any, size: int) -> dict[str, Any]:
    """An organization with so many deliveries, evenly over the days."""
    from datetime import timedelta

    from django.db import connection

    from organizer.accounts.models import Membership, Organization, Role
    from organizer.webhooks.models import Delivery
    from tests.support import deliveries

    organization = Organization.objects.create(slug=f"bench-{size}", name=f"Bench {size:,}")
    Membership.objects.create(organization=organization, user=owner, role=Role.OWNER)
    acme = deliveries.vendor(organization, owner, f"acme-{size}")
    rare = deliveries.vendor(organization, owner, f"rare-{size}")
    one = deliveries.delivered(acme.key, {"event": "order.accepted", "reference": "R-0"})
    deliveries.posted(acme.key, b"{}", secret="wrong")
    parts = {
        name: text.format(size=size, step=f"{DAYS * 86_400 / size:.6f}") if "{" in text else text
        for name, text in IN[connection.vendor].items()
    }
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            connection.connection.create_function("sha256", 1, lambda text: sha256(text.encode()).digest())
        key = Delivery._meta.get_field("vendor").get_db_prep_value(rare.pk, connection)
        cursor.execute(_ROWS.format(columns=_COLUMNS, **parts), [key, one.pk])
    Delivery.objects.filter(organization=organization, delivery_id__in=[f"id-{n}" for n in range(100, 120)]).update(
        source="203.0.113.7"
    )
    then = one.received_at - timedelta(days=10)
    return {
        "at": f"/o/{organization.slug}/", "size": size, "one": one.pk + size // 2, "vendor": acme.pk,
        "then": f"{then:%Y-%m-%dT%H:%M:%SZ}", "later": f"{then + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}",
    }  # fmt: skip


def _times(client: Any, address: str) -> dict[str, float]:
    """`work` is the processor's part: what other programs on the machine take from it is not in it."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    assert client.get(address).status_code == 200, address
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    number = len(queries)
    taken, worked = [], []
    for _ in range(NUMBER):
        began, busy = time.perf_counter(), time.process_time()
        client.get(address)
        taken.append(time.perf_counter() - began)
        worked.append(time.process_time() - busy)
    return {
        "p50": percentile(taken, 0.5), "p95": percentile(taken, 0.95), "work": percentile(worked, 0.5),
        "queries": number,
    }  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
        sys.stdout.write(json.dumps(times_of(PAGES, gather, (SMALL, BIG))))
    else:
        sys.exit(main(*sys.argv[1:]))
