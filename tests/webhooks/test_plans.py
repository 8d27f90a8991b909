"""Each filter of the list is answered from an index, by either database without being told to."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from organizer.webhooks import actions, deliveries, finding, health, histogram, listings, queries, tallies
from organizer.webhooks.deliveries import Scope
from organizer.webhooks.models import Delivery
from organizer.webhooks.tallies import Span
from tests.support import deliveries as sending

ROWS = 20_000
COUNTED = 500
"""In proportion: of a table that is counted to its half PostgreSQL rightly reads the whole."""
FILTERS = (
    "", "range=30d", "range=1h", "outcome=failed", "outcome=failed&range=30d", "outcome=changed&range=30d",
    "late=1&range=30d", "vendor=rare&range=30d", "vendor=acme&range=30d", "event=order.odd&range=30d",
    "event=order.accepted&range=30d", "auth=ip&range=30d", "repeated=1&range=30d", "odd=1&range=30d",
    "q=R-77", "q=R-1", "q=203.0.113.7", "q=id-500", "q=order.odd",
)  # fmt: skip
_MANY = """INSERT INTO webhooks_delivery (organization_id, vendor_id, dedupe_key, delivery_id, id_header, body,
    body_hash, body_size, beginning, content_type, headers, source, proxies, auth, secret_number, event, reference,
    reference_field, flags, odd, action, outcome, settled_at, duplicates, received_at, took)
  SELECT d.organization_id, CASE WHEN n %% 400 = 0 THEN %s ELSE d.vendor_id END, sha256(('i:id-' || n)::bytea),
    'id-' || n, 'X-Webhook-Id', d.body, d.body_hash, d.body_size, d.beginning, d.content_type, d.headers,
    CASE WHEN n %% 500 = 0 THEN '203.0.113.7'::inet ELSE d.source END, 0,
    CASE WHEN n %% 400 = 0 THEN 'ip' ELSE 'hmac' END, 1,
    CASE WHEN n %% 600 = 0 THEN 'order.odd' ELSE 'order.accepted' END, 'R-' || n, 'reference', '[]', n %% 700 = 0,
    'reconcile', CASE WHEN n %% 300 = 0 THEN 'failed' WHEN n %% 900 = 1 THEN 'waiting' ELSE 'changed' END,
    d.received_at, CASE WHEN n %% 800 = 0 THEN 1 ELSE 0 END, d.received_at - n * interval '2 minutes', 900
  FROM webhooks_delivery d, generate_series(1, %s) n"""
COVERED = (
    "", "range=30d", "outcome=failed&range=30d", "outcome=changed&range=30d", "late=1&range=30d",
    "vendor=acme&range=30d", "vendor=acme&outcome=changed&range=30d", "event=order.accepted&range=30d",
    "auth=ip&range=30d", "repeated=1&range=30d", "odd=1&range=30d", "q=order.odd&range=30d", "q=203.0.113.7&range=30d",
)  # fmt: skip
"""What the histogram counts of these stands in the index."""

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization(cast):
    sending.vendor(cast.organization, cast.olive)
    rare = sending.vendor(cast.organization, cast.olive, "rare")
    sending.delivered("acme", {"event": "order.accepted", "reference": "R-0"})
    with connection.cursor() as cursor:
        cursor.execute(_MANY, [rare.pk, ROWS])
        cursor.execute("ANALYZE webhooks_delivery")
    return cast.organization


if connection.vendor == "postgresql":

    @pytest.mark.parametrize("query", FILTERS)
    def test_no_filter_reads_the_whole_table(organization, query):
        scope = Scope.of(organization, listings.read(f"?{query}"))
        page = scope.rows.defer(*deliveries.NOT_LISTED).order_by(*queries.ORDER)[:51]
        for asked in (page, scope.rows.order_by(*queries.ORDER).values("pk")[:COUNTED]):
            plan = asked.explain()
            assert "Seq Scan on webhooks_delivery" not in plan, plan
            assert "Index" in plan, plan

    @pytest.mark.parametrize("query", COVERED)
    def test_the_histogram_reads_an_index_that_covers(organization, query):
        scope = Scope.of(organization, listings.read(f"?{query}"))
        with connection.cursor() as cursor:
            # as a vacuum leaves it, which no transaction may run
            cursor.execute("UPDATE pg_class SET relallvisible = relpages WHERE relname = 'webhooks_delivery'")
        plan = histogram.newest(scope.rows).explain()
        assert "Index Only Scan" in plan, plan

    def test_repetitions_are_added_up_by_the_index_that_knows_them(organization):
        for one in Delivery.objects.filter(outcome="failed")[:20]:
            actions.count_repetitions({(one.vendor_id, bytes(one.dedupe_key)): 1}, {})
        keys = ", ".join(["('01a200ae-6830-7534-b204-3f732d3becdf'::uuid, ''::bytea, 1)"] * 20)
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN " + actions._ADD_UP.format(places=keys), [timezone.now()])
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "Seq Scan" not in plan, plan

    def test_a_suppliers_numbers_read_the_index_of_its_time(organization):
        now = timezone.now()
        for vendor in queries.vendors(organization):
            spans = [Span(vendor.pk, now - timedelta(hours=6 * n + 6), now - timedelta(hours=6 * n), COUNTED)
                     for n in range(28)]  # fmt: skip
            sql, params = tallies.wording(spans)
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}", params)
                plan = "\n".join(line for (line,) in cursor.fetchall())
            assert "Seq Scan on webhooks_delivery" not in plan, plan
            assert plan.count("delivery_by_vendor") == len(spans), plan
            taken = health.newest(vendor, now - timedelta(days=7)).values("settled_at").explain()
            assert "Seq Scan on webhooks_delivery" not in taken, taken

    def test_a_delivery_and_what_is_beside_it_read_indexes(organization):
        one = Delivery.objects.order_by("-pk")[0]
        rows = Delivery.objects.filter(organization=organization)
        newer = rows.filter(received_at__gte=one.received_at).exclude(received_at=one.received_at, pk__lte=one.pk)
        same = Delivery.objects.filter(vendor=one.vendor_id, reference=one.reference).exclude(reference="")
        old = Delivery.objects.filter(vendor=one.vendor_id, received_at__lt=timezone.now() - timedelta(days=27))
        asked = (
            newer.order_by("received_at", "id")[:1], same.order_by("-received_at")[:9],
            old.order_by("received_at", "id")[:500],
        )  # fmt: skip
        for one_plan in (rows.explain() for rows in asked):
            assert "Seq Scan" not in one_plan, one_plan


if connection.vendor == "sqlite":

    @pytest.mark.parametrize("query", [*FILTERS, "vendor=acme&outcome=changed"])
    def test_no_filter_reads_or_sorts_the_whole_table_of_sqlite(cast, monkeypatch, query):
        monkeypatch.setattr(finding, "FEW", 0)
        sending.vendor(cast.organization, cast.olive)
        sending.delivered("acme", {"event": "order.odd", "reference": "R-17"}, X_Webhook_Id="id-500")
        scope = Scope.of(cast.organization, listings.read(f"?{query}"))
        plan = scope.rows.defer(*deliveries.NOT_LISTED).order_by(*queries.ORDER)[:51].explain()
        assert "SCAN" not in plan, plan
        assert "TEMP B-TREE" not in plan or query == "q=id-500", plan

    @pytest.mark.parametrize("query", COVERED)
    def test_the_histogram_reads_an_index_of_sqlite_that_covers(cast, query):
        sending.vendor(cast.organization, cast.olive)
        sending.delivered("acme", {"event": "order.odd", "reference": "R-17"})
        plan = histogram.newest(Scope.of(cast.organization, listings.read(f"?{query}")).rows).explain()
        assert "COVERING INDEX" in plan, plan


def test_names_of_events_are_those_that_were_seen(cast):
    sending.vendor(cast.organization, cast.olive)
    for event in ("b", "a", "", "b", "Z"):
        sending.delivered("acme", {"event": event, "reference": f"R-{timezone.now()}"})
    assert queries.events(cast.organization) == ["Z", "a", "b"]
    assert queries.events(cast.elsewhere) == []
