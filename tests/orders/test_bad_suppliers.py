"""Suppliers on a bad day: whatever they answer, no order moves by it, everybody is told, and nobody is stormed."""

import gzip
import tracemalloc
from datetime import timedelta

import pytest

from organizer.connections.models import Connection, Health
from organizer.orders import fulfilments, gate, queries, rules, work
from organizer.orders.models import Order, Wake
from organizer.orders.rules import Why
from organizer.webhooks.models import Delivery, Found, Outcome, Reconciliation
from tests.orders import stand
from tests.orders.test_schedule import beat, many
from tests.support import faults, processes
from tests.support.faults import Answer, FaultServer, says

MINUTE = timedelta(minutes=1)
JSON = {"Content-Type": "application/json"}


def last():
    return Reconciliation.objects.latest("pk")


def lie(supplier, order, **changes):
    """Its answer about the order, with something wrong in it; it says cancelled, so that a move would be seen."""
    found = supplier.orders[order.reference] | {"status": "cancelled"} | changes
    return says({"data": [{name: value for name, value in found.items() if value is not ...}]}, headers=stand.WIDE)


@pytest.mark.parametrize(
    "answer",
    [
        faults.status(500), faults.status(403, "forbidden"), faults.html(200), faults.html(404), faults.cut(),
        faults.close(), says([]), says({}), says({"data": None}), says({"data": "x"}), says({"data": [1]}),
        Answer(200, b""), Answer(204), Answer(200, b'{"data": [', JSON), Answer(200, b"\xff\xfe", JSON),
        Answer(200, b"[" * 200_000, JSON), Answer(200, b'{"data": [' + b"9" * 5000 + b"]}", JSON),
        Answer(302, b"", {"Location": "/api/vendor/v1/elsewhere"}), Answer(304), Answer(999, b"{}", JSON),
        Answer(200, b"no gzip", JSON | {"Content-Encoding": "gzip"}),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_changes_nothing(vendor, supplier, order, answer):
    supplier.answer = lambda request, usual: answer
    stand.look(vendor, order)
    assert (order.state, order.tickets.count()) == (rules.PENDING, 0)
    assert (last().outcome, bool(last().reason)) == (Found.FAILED, True)
    assert Delivery.objects.get().outcome == Outcome.WAITING
    assert order.problem == last().reason


@pytest.mark.parametrize(
    "changes",
    [
        {"reference": "R-OTHER"}, {"reference": ...}, {"reference": None}, {"reference": ["R"]}, {"id": ...},
        {"id": "sup-other"}, {"id": {}}, {"id": "x" * 10_000}, {"status": ...}, {"status": {}}, {"status": ""},
        {"reference": " padded "},
    ],
)  # fmt: skip
def test_an_answer_about_something_else_changes_nothing(vendor, supplier, order, changes):
    supplier.answer = lambda request, usual: lie(supplier, order, **changes)
    stand.look(vendor, order)
    assert order.state == rules.PENDING
    assert last().outcome in (Found.FAILED, Found.NO_MATCH, Found.AMBIGUOUS)
    assert order.problem


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_follows_nobody_elsewhere_with_its_key(vendor, supplier, order, code):
    with FaultServer() as elsewhere:
        elsewhere.on("*", says({"data": [supplier.orders[order.reference] | {"status": "cancelled"}]}))
        supplier.answer = lambda request, usual: Answer(code, b"", {"Location": f"{elsewhere.url}{request.path}"})
        stand.look(vendor, order)
        assert elsewhere.requests == []
    assert (order.state, last().outcome, last().status) == (rules.PENDING, Found.FAILED, code)


def bomb(megabytes):
    return Answer(200, gzip.compress(b" " * (megabytes << 20)), JSON | {"Content-Encoding": "gzip"})


@pytest.mark.parametrize("answer", [Answer(200, b" " * (30 << 20), JSON), bomb(400)], ids=["long", "packed"])
def test_takes_no_more_into_memory_than_an_answer_may_be(vendor, supplier, order, answer):
    supplier.answer = lambda request, usual: answer
    stand.wake(vendor, order.reference)
    tracemalloc.start()
    stand.drain(vendor)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 150 << 20
    assert last().reason == "It answered with more than 10 MB."


def test_a_supplier_of_endless_tickets_fills_nothing(vendor, supplier, order):
    supplier.moves(order, "accepted")
    supplier.prints(order, *({"id": f"t{n}", "value": "v"} for n in range(30_000)))
    other = stand.placed(vendor)
    supplier.moves(other, "rejected")
    stand.wake(vendor, order.reference)
    stand.drain(vendor, seconds=2)
    order.refresh_from_db()
    assert (order.state, order.tickets.count()) == (rules.ACCEPTED, fulfilments.MOST)
    stand.wake(vendor, other.reference)
    stand.drain(vendor, seconds=10)
    assert Order.objects.get(pk=other.pk).state == rules.REJECTED
    assert order.tickets.filter(fetched_at=None).exists()


def looked(vendor):
    stand.drain(vendor)
    return Delivery.objects.get().outcome == Outcome.CHANGED


def test_one_ticket_named_twice_is_one(vendor, supplier, order):
    supplier.moves(order, "accepted")
    supplier.prints(order, {"id": "t1"}, {"id": "t1"})
    stand.look(vendor, order)
    assert (order.state, order.tickets.exclude(file="").count()) == (rules.ACCEPTED, 1)


def test_waits_as_long_as_it_is_told_and_then_looks(vendor, supplier, order, clock):
    told = {"now": True}
    busy = Answer(429, b'{"error": "rate_limited"}', JSON | {"Retry-After": "2"})
    supplier.answer = lambda request, usual: busy if told["now"] else usual
    stand.wake(vendor, order.reference)
    stand.drain(vendor, clock)
    assert supplier.asked() == 1
    assert (Wake.objects.get().tries, Delivery.objects.get().outcome) == (0, Outcome.WAITING)
    stand.drain(vendor, clock)
    assert supplier.asked() == 1
    assert not Reconciliation.objects.exists()
    told["now"] = False
    supplier.moves(order, "rejected")
    processes.wait_until(lambda: looked(vendor), what="the look")
    order.refresh_from_db()
    assert (order.state, gate.Gate.objects.get().failures) == (rules.REJECTED, 0)


def test_a_revoked_key_costs_one_question_and_no_flood_of_entries(cast, vendor, supplier, clock):
    """All wait, as late and with the reason; with a new key all are looked at."""
    stand.Pulse.objects.create(process="a worker", at=clock() + timedelta(days=1))
    many(vendor, supplier, 40, at=clock())
    refuses = {"now": True}
    supplier.answer = lambda request, usual: faults.status(401, "invalid_key") if refuses["now"] else usual
    clock.forward(minutes=61)
    beat(clock, 10 * MINUTE)
    assert supplier.asked() + supplier.asked("/orders/x/fulfilment") <= gate.AT_ONCE
    assert Reconciliation.objects.count() <= 40
    assert queries.late(cast.organization, clock()).count() == 40
    [late] = queries.lateness(cast.organization, clock())
    assert late.why == Why.KEY_REFUSED
    refuses["now"] = False
    stand.webhooks.connect_orders(vendor=vendor, url=supplier.url, key="sup_live_" + "n" * 32, by=None)
    Connection.objects.filter(pk=vendor.connection_id).update(health=Health.WORKING)
    beat(clock, MINUTE)
    assert not queries.late(cast.organization, clock()).exists()


def test_down_for_a_day_is_asked_once_a_minute_and_caught_up_with_in_turn(cast, vendor, supplier, clock):
    stand.Pulse.objects.create(process="a worker", at=clock() + timedelta(days=3))
    number = 60
    many(vendor, supplier, number, at=clock())
    for n in range(number):
        stand.wake(vendor, f"{vendor.key}-{n}")
    down = {"now": True}
    supplier.answer = lambda request, usual: faults.status(503) if down["now"] else usual
    beat(clock, 10 * MINUTE)
    asked = len(supplier.server.requests)
    assert gate.FAILURES_BEFORE_REST <= asked <= gate.FAILURES_BEFORE_REST + 11
    for _n in range(23):
        clock.forward(hours=1)
        beat(clock, rules.SLOT)
    assert len(supplier.server.requests) <= asked + 24
    assert queries.late(cast.organization, clock()).count() == number
    [late] = queries.lateness(cast.organization, clock())
    assert (late.why, late.problem) == (Why.RESTS, "It answered 503.") or late.why == Why.RESTS
    assert not Order.objects.exclude(state=rules.PENDING).exists()
    down["now"] = False
    for found in supplier.orders.values():
        found["status"] = "rejected"
    before, began = len(supplier.server.requests), clock()
    clock.forward(seconds=61)
    while (
        Delivery.objects.filter(outcome=Outcome.WAITING).exists() or queries.late(cast.organization, clock()).exists()
    ):
        beat(clock, rules.SLOT)
        assert clock() - began < 10 * MINUTE
    seconds = (clock() - began).total_seconds() - 61
    assert len(supplier.server.requests) - before <= seconds / gate.APART.total_seconds() + 1
    assert set(Order.objects.values_list("state", flat=True)) == {rules.REJECTED}
    assert Reconciliation.objects.filter(outcome=Found.CHANGED).count() == number
    assert work.with_due(clock()) == []


def test_one_that_knows_no_tickets_yet_is_not_taken_for_gone(vendor, supplier, order, clock):
    """A 404 in the API's own words is an answer: after an outage it opens the way for the others."""
    supplier.answer = lambda request, usual: (
        faults.status(404, "not_found") if request.path.endswith("/fulfilment") else usual
    )
    gate.of(vendor, clock())
    gate.Gate.objects.update(failures=gate.FAILURES_BEFORE_REST, rests_until=clock() - MINUTE)
    Order.objects.update(fulfilment_due_at=clock() - MINUTE, state_due_at=clock() + MINUTE)
    stand.drain(vendor, clock)
    assert gate.Gate.objects.get().failures == 0
