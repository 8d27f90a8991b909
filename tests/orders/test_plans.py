"""The pages of orders and of looks read indexes, on either database."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from organizer.orders import queries
from organizer.orders.models import Order
from organizer.orders.sequel import Sequel
from organizer.webhooks.models import Reconciliation
from tests.orders import stand

WHOLE = ("Seq Scan on orders_order", "Seq Scan on webhooks_reconciliation", "SCAN orders_order", "SCAN webhooks_recon")

pytestmark = pytest.mark.django_db


@pytest.fixture
def some(vendor):
    order = stand.place(vendor)
    now = timezone.now()
    Reconciliation.objects.create(
        organization=vendor.organization, vendor=vendor, reference=order.reference, order_id=order.pk, cause="periodic",
        started_at=now, finished_at=now, outcome="changed", deliveries=1,
    )  # fmt: skip
    if connection.vendor == "postgresql":  # of few rows it rightly reads all
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
    return order


def plans(ask):
    with CaptureQueriesContext(connection) as asked:
        ask()
    found = []
    with connection.cursor() as cursor:
        for one in asked.captured_queries:
            if "orders_order" in one["sql"] or "webhooks_reconciliation" in one["sql"]:
                how = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
                cursor.execute(f"{how} {one['sql']}".replace("%", "%%"))
                found.append("\n".join(str(row[-1]) for row in cursor.fetchall()))
    return found


ASKED = {
    **{tab or "all": {"tab": tab} for tab in queries.TABS},
    "a supplier's": {"vendor": "VENDOR"},
    "a supplier's open ones": {"vendor": "VENDOR", "tab": "open"},
    "a word": {"q": "zoe"},
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_no_list_of_orders_reads_them_all(some, asked):
    asked = {name: some.vendor.key if value == "VENDOR" else value for name, value in asked.items()}
    found = plans(lambda: queries.orders(some.organization, **asked))
    assert found
    for plan in found:
        assert not any(whole in plan for whole in WHOLE), plan


@pytest.mark.parametrize("outcome", ["", "changed", "missed"])
@pytest.mark.parametrize("cause", ["", "person"])
def test_no_list_of_looks_reads_or_sorts_them_all(some, outcome, cause):
    ask = lambda: queries.reconciliations(some.organization, outcome=outcome, cause=cause)  # noqa: E731
    for plan in plans(ask):
        assert not any(whole in plan for whole in WHOLE), plan
        assert "TEMP B-TREE" not in plan, plan


def test_numbers_of_a_supplier_read_indexes(some):
    since = timezone.now() - timedelta(days=7)
    asked = (lambda: queries.told([some.vendor], since), lambda: Sequel().matched_at(some.vendor))
    for ask in asked:
        [plan] = plans(ask)
        assert "reconciliation_changes" in plan or "reconciliation_matched" in plan, plan


def test_late_ones_are_found_by_either_check(some):
    now = timezone.now()
    Order.objects.update(state_due_at=now, state_read_at=now - timedelta(hours=2))
    assert queries.late(some.organization, now).count() == 1
    Order.objects.update(fulfilment_due_at=now, fulfilment_read_at=now - timedelta(hours=2))
    assert queries.late(some.organization, now).count() == 1
    Order.objects.update(state_due_at=None, fulfilment_due_at=None)
    assert not queries.late(some.organization, now).exists()
