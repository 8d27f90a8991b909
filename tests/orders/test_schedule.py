"""Every open order is looked at hourly, its tickets every ten minutes, without any delivery."""

import random
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.celery import app
from organizer.connections.models import Connection
from organizer.orders import queries, rules, tasks, work
from organizer.orders.models import Order, Wake
from organizer.orders.rules import Why
from organizer.webhooks.models import Cause, Found, Reconciliation
from tests.orders import stand
from tests.orders.stand import Supplier
from tests.support.faults import FaultServer, says, slow

MINUTE = timedelta(minutes=1)


def many(vendor, supplier, number, *, at, state=rules.PENDING):
    """Open orders that were last looked at when they were placed, at `at`."""
    rows = []
    for n in range(number):
        found = supplier.has(f"{vendor.key}-{n}", state)
        columns = vars(rules.effective(found))
        rows.append(
            Order(
                organization_id=vendor.organization_id, connection_id=vendor.connection_id, vendor=vendor,
                reference=found["reference"], remote_id=found["id"], payload=found, placed_at=at,
                state_read_at=at, fulfilment_read_at=at, wanted=[{"listing_id": "l", "quantity": 2}],
                state_due_at=rules.first_check(at, rules.STATE_EVERY, random.random()),
                fulfilment_due_at=rules.first_check(at, rules.FULFILMENT_EVERY, random.random()), **columns,
            )
        )  # fmt: skip
    Order.objects.bulk_create(rows, batch_size=500)


def beat(clock, moments):
    """What the schedule does in so much time: every slot it asks who is due, and each of them is worked for."""
    end = clock() + moments
    while clock() < end:
        slot = clock() + rules.SLOT
        for vendor in {*work.with_wakes(clock()), *work.with_due(clock())}:
            own = stand.Clock()
            own.moved = clock.moved
            left = (slot - clock()).total_seconds()
            work.drain(vendor, seconds=left, now=own, sleep=lambda wait, own=own: own.forward(seconds=wait))
        clock.forward(seconds=max((slot - clock()).total_seconds(), 0))


def test_is_in_the_schedule_that_the_worker_keeps():
    schedule = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert schedule[tasks.check_due.name] == rules.SLOT.total_seconds()
    assert schedule[tasks.reconcile_waiting.name] == 15


def test_looks_hourly_without_a_delivery(vendor, supplier, order, clock):
    supplier.moves(order, "accepted")
    clock.forward(minutes=61)
    assert work.with_due(clock()) == [vendor.pk]
    stand.drain(vendor, clock)
    order.refresh_from_db()
    assert order.state == rules.ACCEPTED
    found = Reconciliation.objects.get()
    assert (found.cause, found.outcome, found.missed) == (Cause.PERIODIC, Found.CHANGED, True)


def test_looks_for_tickets_every_ten_minutes(vendor, supplier, order, clock):
    supplier.moves(order, "accepted")
    stand.look(vendor, order, clock)
    supplier.prints(order, {"id": "t1"}, {"id": "t2"})
    clock.forward(minutes=10)
    stand.drain(vendor, clock)
    assert supplier.asked() == 1
    assert order.tickets.exclude(file="").count() == 2


def test_finds_tickets_of_what_nobody_said_was_accepted(vendor, supplier, order, clock):
    supplier.moves(order, "accepted")
    supplier.prints(order, {"id": "t1"}, {"id": "t2"})
    clock.forward(minutes=10)
    stand.drain(vendor, clock)
    order.refresh_from_db()
    assert (order.state, order.tickets.count()) == (rules.ACCEPTED, 2)


def test_spreads_the_checks(vendor, supplier, clock):
    many(vendor, supplier, 200, at=timezone.now())
    for name, every in (("state_due_at", rules.STATE_EVERY), ("fulfilment_due_at", rules.FULFILMENT_EVERY)):
        due = sorted(Order.objects.values_list(name, flat=True))
        assert due[-1] - due[0] > every / 4
        assert due[-1] <= timezone.now() + every
    luck = [rules.next_check(timezone.now(), rules.STATE_EVERY, luck / 10) for luck in range(10)]
    assert max(luck) - min(luck) > 5 * MINUTE


def test_adds_up_what_found_nothing_new(vendor, supplier, order, clock):
    for _n in range(5):
        clock.forward(minutes=10)
        stand.drain(vendor, clock)
    found = Reconciliation.objects.get()
    assert (found.outcome, found.times) == (Found.UNCHANGED, 5)


def test_leaves_alone_what_is_over(vendor, supplier, order, clock):
    supplier.moves(order, "rejected")
    stand.look(vendor, order)
    clock.forward(hours=2)
    assert work.with_due(clock()) == []
    assert not queries.late(order.organization, clock()).exists()


@pytest.fixture
def three(cast, settings):
    """One that is slow, one that is down, one that answers another reference."""
    settings.FOYER_API_TIMEOUT = 0.3
    with FaultServer() as one, FaultServer() as two, FaultServer() as three:
        servers = {"slow": one, "down": two, "other": three}
        suppliers = {name: Supplier(server) for name, server in servers.items()}
        yield {name: (stand.add_vendor(cast.organization, of.url, name), of) for name, of in suppliers.items()}


@pytest.mark.long
def test_5000_orders_of_three_suppliers_an_hour_later(cast, three, clock):
    """All are looked at, or shown as late with the reason."""
    stand.Pulse.objects.create(process="a worker", at=clock() + 10 * rules.STATE_EVERY)
    began = clock()
    for name, number in (("slow", 800), ("down", 2100), ("other", 2100)):
        many(*three[name], number, at=began)
    three["slow"][1].answer = lambda request, usual: slow(0.004, usual)
    three["down"][1].server.stop()
    wrong = {"id": "sup-x", "reference": "R-WRONG", "status": "cancelled"}
    others = {"data": [wrong], "meta": {"count": 1}}
    three["other"][1].answer = lambda request, usual: (
        says(others, headers=stand.WIDE) if request.path.endswith("/orders") else usual
    )
    clock.forward(minutes=61)
    beat(clock, MINUTE)
    reached = Order.objects.filter(state_read_at__gt=began, fulfilment_read_at__gt=began).count()
    assert 0 < reached < 400
    assert queries.late(cast.organization, clock()).count() == 5000 - reached
    why = {one.vendor.key: one.why for one in queries.lateness(cast.organization, clock())}
    assert why.pop("slow") in (Why.BUDGET, Why.SLOW)  # by how busy this machine is
    assert why == {"down": Why.RESTS, "other": Why.ODD_ANSWER}
    three["other"][1].server.stop()  # it has shown what it does
    beat(clock, 6 * MINUTE)
    late = Counter(queries.late(cast.organization, clock()).values_list("vendor__key", flat=True))
    assert late == {"down": 2100, "other": 2100}
    why = {one.vendor.key: one.why for one in queries.lateness(cast.organization, clock())}
    assert why == {"down": Why.RESTS, "other": Why.RESTS}
    assert not Order.objects.exclude(state=rules.PENDING).exists()
    checked = Order.objects.filter(vendor__key="slow")
    assert checked.order_by("state_read_at")[0].state_read_at >= began + 61 * MINUTE


def test_says_why_it_is_late(cast, vendor, supplier, order, clock):
    def why():
        [found] = queries.lateness(cast.organization, clock())
        return found.why

    clock.forward(hours=2)
    assert why() == Why.NO_WORKER
    stand.Pulse.objects.create(process="a worker", at=clock())
    assert why() == Why.BUDGET
    supplier.server.stop()
    stand.drain(vendor, clock)
    assert why() == Why.FAILS
    stand.gate.Gate.objects.update(failures=stand.gate.FAILURES_BEFORE_REST)
    assert why() == Why.RESTS
    Connection.objects.filter(pk=vendor.connection_id).update(health="key_refused")
    assert why() == Why.KEY_REFUSED
    Connection.objects.filter(pk=vendor.connection_id).update(live=False)
    assert why() == Why.NOT_CONNECTED


def test_does_not_line_up_more_than_it_can_ask(vendor, supplier, clock):
    many(vendor, supplier, 300, at=clock() - timedelta(hours=2))
    work.wakes.gather_due(vendor, clock())
    work.wakes.gather_due(vendor, clock())
    assert Wake.objects.count() == work.wakes.AHEAD
