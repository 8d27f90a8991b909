"""What a look at an order comes to: the supplier's answer is the only thing that moves it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.orders import actions, gate, rules, work
from organizer.orders.models import Gate, MoveCause, Order, Wake
from organizer.sync.models import Command
from organizer.webhooks.models import Cause, Delivery, Found, Outcome, Reconciliation
from tests.orders import stand
from tests.support.faults import close, html, says, slow, status


def outcomes(order):
    return list(Delivery.objects.filter(reference=order.reference).order_by("pk").values_list("outcome", flat=True))


def meanwhile(vendor, clock, happens):
    """Once, between the claim of the first order and the question about it: that waits for its turn."""
    Gate.objects.filter(pk=gate.of(vendor, clock()).pk).update(slot_at=clock() + gate.FURTHEST * 0.9)
    events = iter([happens])
    stand.work.drain(vendor.pk, now=clock, sleep=lambda seconds: next(events, lambda: None)())


def last():
    return Reconciliation.objects.latest("pk")


def test_moves_the_order_as_the_supplier_says(vendor, supplier, order):
    supplier.moves(order, "accepted")
    assert stand.look(vendor, order).state == rules.ACCEPTED
    found = last()
    assert (found.cause, found.outcome, found.status) == (Cause.WEBHOOK, Found.CHANGED, 200)
    assert (found.before, found.after) == ({"state": "pending"}, {"state": "accepted"})
    assert (found.order_id, found.deliveries, found.missed) == (order.pk, 1, False)
    [delivery] = Delivery.objects.all()
    assert (delivery.outcome, delivery.reconciliation, delivery.settled_at) == ("changed", found, found.finished_at)
    move = order.moves.latest("pk")
    assert (move.before, move.after, move.cause, move.reconciliation) == ("pending", "accepted", "webhook", found)
    entry = AuditEntry.objects.get(verb="order.accepted")
    assert entry.after == {"state": "accepted", "cause": MoveCause.WEBHOOK}


def test_says_that_nothing_changed(vendor, order):
    assert stand.look(vendor, order).state == rules.PENDING
    assert (last().outcome, outcomes(order)) == (Found.UNCHANGED, [Outcome.UNCHANGED])
    assert not Wake.objects.exists()


@pytest.mark.parametrize("reference", ["R-1 &#?/%+ ü", "a/../b", "100%", "R+2=3&reference=other", " x"])
def test_asks_for_any_reference_as_it_is(vendor, supplier, reference):
    order = stand.placed(vendor, reference=reference.strip())
    supplier.moves(order, "rejected", rejection_reason="Sold elsewhere.")
    assert stand.look(vendor, order).state == rules.REJECTED
    assert order.rejection_reason == "Sold elsewhere."
    [asked] = [one for one in supplier.server.requests if one.method == "GET"]
    assert asked.query["reference"] == [reference.strip()]


def test_does_not_ask_about_what_is_no_order(vendor, supplier):
    stand.wake(vendor, "nobody's")
    stand.drain(vendor)
    assert supplier.asked() == 0
    assert (last().outcome, last().order_id) == (Found.NO_MATCH, None)
    assert Delivery.objects.get().outcome == Outcome.NO_MATCH


def answers(*orders):
    return lambda request, usual: says({"data": list(orders), "meta": {}}, headers=stand.WIDE)


def test_changes_nothing_where_the_supplier_does_not_know_it(vendor, supplier, order):
    supplier.answer = answers()
    assert stand.look(vendor, order).state == rules.PENDING
    assert (last().outcome, outcomes(order)) == (Found.NO_MATCH, [Outcome.NO_MATCH])
    assert order.problem == "The supplier does not know this reference."


def test_changes_nothing_where_it_answers_another_reference(vendor, supplier, order):
    supplier.answer = answers(supplier.orders[order.reference] | {"status": "cancelled", "reference": "R-OTHER"})
    assert stand.look(vendor, order).state == rules.PENDING
    assert (last().outcome, outcomes(order)) == (Found.NO_MATCH, [Outcome.NO_MATCH])
    assert "R-OTHER" in order.problem


@pytest.mark.parametrize("other", [{}, {"id": "sup-other"}])
def test_changes_nothing_where_it_answers_two(vendor, supplier, order, other):
    cancelled = supplier.orders[order.reference] | {"status": "cancelled"}
    supplier.answer = answers(cancelled, cancelled | other)
    assert stand.look(vendor, order).state == rules.PENDING
    assert (last().outcome, outcomes(order)) == (Found.AMBIGUOUS, [Outcome.NO_MATCH])


def test_changes_nothing_where_its_id_is_another(vendor, supplier, order):
    supplier.answer = answers(supplier.orders[order.reference] | {"id": "sup-other", "status": "cancelled"})
    assert stand.look(vendor, order).state == rules.PENDING
    assert last().outcome == Found.AMBIGUOUS
    assert Order.objects.count() == 1


def test_follows_a_move_that_should_not_be_and_marks_it(cast, vendor, supplier, order):
    supplier.moves(order, "rejected")
    stand.look(vendor, order)
    supplier.moves(order, "accepted")
    actions.look(order=order, by=cast.olive)
    stand.drain(vendor)
    order.refresh_from_db()
    assert (order.state, order.unexpected_move) == (rules.ACCEPTED, True)
    assert list(order.moves.order_by("pk").values_list("is_unexpected", flat=True)) == [False, False, False, True]
    assert order.state_due_at is not None


def test_keeps_a_word_that_nobody_knows(vendor, supplier, order):
    supplier.moves(order, "under_discussion")
    stand.look(vendor, order)
    assert (order.state, order.is_open) == ("under_discussion", True)


def test_is_answered_by_one_look_however_many_wake(vendor, supplier, order):
    stand.wake(vendor, order.reference, 500)
    supplier.moves(order, "rejected")
    stand.drain(vendor)
    assert supplier.asked() <= 2
    assert set(outcomes(order)) == {Outcome.CHANGED}
    assert sum(Reconciliation.objects.values_list("deliveries", flat=True)) == 500


def test_asks_for_all_where_a_delivery_finds_the_schedule_in_its_place(vendor, supplier, order, clock):
    """Only its tickets were due; the delivery tells of its state."""
    Order.objects.update(state_due_at=clock() + timedelta(hours=1), fulfilment_due_at=clock())
    Wake.objects.create(vendor=vendor, reference=order.reference, cause="periodic", rank=2, next_at=clock())
    supplier.moves(order, "accepted")
    stand.wake(vendor, order.reference)
    stand.drain(vendor, clock)
    order.refresh_from_db()
    assert (order.state, outcomes(order)) == (rules.ACCEPTED, [Outcome.CHANGED])


def test_a_delivery_goes_before_what_the_schedule_has_lined_up(vendor, supplier, order, clock):
    """Its own order's turn among them; and it is tried again as a delivery is."""
    for reference in ("first", order.reference):
        Wake.objects.create(vendor=vendor, reference=reference, cause="periodic", rank=2, next_at=clock())
    supplier.answer = lambda request, usual: status(500)
    stand.wake(vendor, order.reference)
    stand.drain(vendor, clock)
    wake = Wake.objects.get(reference=order.reference)
    assert (wake.tries, wake.cause, outcomes(order)) == (1, Cause.WEBHOOK, [Outcome.WAITING])


def test_looks_again_for_what_came_while_it_asked(vendor, supplier, order, clock):
    """The second came after the first answer was on its way: it may tell of something newer."""

    stand.wake(vendor, order.reference)
    meanwhile(vendor, clock, lambda: stand.wake(vendor, order.reference))
    assert supplier.asked() == 2
    assert outcomes(order) == [Outcome.UNCHANGED, Outcome.UNCHANGED]


@pytest.mark.parametrize("fault", [status(500), html(200), close(), says({"data": {}}), status(503)])
def test_tries_again_and_then_waits_for_the_schedule(vendor, supplier, order, clock, fault):
    supplier.answer = lambda request, usual: fault
    stand.wake(vendor, order.reference)
    tries = []
    for _n in range(4):
        stand.drain(vendor, clock)
        tries.append((Reconciliation.objects.count(), outcomes(order)[0]))
        clock.forward(minutes=6)
    assert tries == [(1, "waiting"), (2, "waiting"), (3, "waiting"), (4, "failed")]
    assert set(Reconciliation.objects.values_list("outcome", flat=True)) == {Found.FAILED}
    assert last().reason
    assert not Wake.objects.exists()
    supplier.answer = lambda request, usual: usual
    supplier.moves(order, "accepted")
    clock.forward(hours=1)
    stand.drain(vendor, clock)
    order.refresh_from_db()
    assert (order.state, order.problem) == (rules.ACCEPTED, "")
    assert (last().cause, last().missed) == (Cause.PERIODIC, False)


def test_waits_ten_seconds_then_a_minute_then_five():
    now = timezone.now()
    waits = [rules.retry(tries, now, 0.5) for tries in (1, 2, 3, 4)]
    assert waits == [now + timedelta(seconds=10), now + timedelta(seconds=60), now + timedelta(minutes=5), None]
    spread = [rules.retry(1, now, luck) for luck in (0.0, 0.99)]
    assert spread[0] < waits[0] < spread[1]


def test_rests_after_five_failures_and_then_one_tries(vendor, supplier, order, clock):
    others = [stand.placed(vendor) for _n in range(7)]
    supplier.answer = lambda request, usual: status(500)
    for one in [order, *others]:
        stand.wake(vendor, one.reference)
    stand.drain(vendor, clock)
    assert supplier.asked() == gate.FAILURES_BEFORE_REST
    assert work.with_wakes(clock()) == []
    stand.drain(vendor, clock)
    assert supplier.asked() == 5
    clock.forward(seconds=61)
    assert work.with_wakes(clock()) == [vendor.pk]
    stand.drain(vendor, clock)
    assert supplier.asked() == 6
    supplier.answer = lambda request, usual: usual
    clock.forward(seconds=61)
    stand.drain(vendor, clock)
    clock.forward(minutes=6)
    stand.drain(vendor, clock)
    assert Gate.objects.get().failures == 0
    assert set(Delivery.objects.values_list("outcome", flat=True)) == {Outcome.UNCHANGED}


def test_takes_silence_for_a_failure(vendor, supplier, order, settings):
    settings.FOYER_API_TIMEOUT = 0.5
    supplier.answer = lambda request, usual: slow(2)
    stand.look(vendor, order)
    assert last().outcome == Found.FAILED
    assert last().reason == "It did not answer in time."


def test_asks_five_times_a_second_at_most(vendor, supplier, clock):
    orders = [stand.placed(vendor) for _n in range(11)]
    for one in orders:
        stand.wake(vendor, one.reference)
    began = clock()
    stand.drain(vendor, clock)
    assert supplier.asked() == 11
    assert (clock() - began).total_seconds() >= 10 * gate.APART.total_seconds()


def test_asks_two_at_once_at_most(vendor, order, clock):
    now = clock()
    for n in range(2):
        Wake.objects.create(vendor=vendor, reference=f"busy-{n}", cause="webhook", holder=f"h{n}", until=now)
    stand.wake(vendor, order.reference)
    Wake.objects.update(until=clock() + stand.work.wakes.LEASE)
    assert stand.drain(vendor, clock) is None
    assert outcomes(order) == [Outcome.WAITING]


def test_calls_help_where_there_is_much_to_do_and_a_hand_free(vendor, order, clock):
    for n in range(4):
        stand.wake(vendor, f"nobody-{n}")
    called = []
    for n in range(2):
        busy = {"cause": "webhook", "holder": f"h{n}", "until": clock() + gate.REST}
        Wake.objects.create(vendor=vendor, reference=f"busy-{n}", **busy)
    stand.drain(vendor, clock, call_help=lambda: called.append("too many"))
    assert not called
    Wake.objects.filter(reference="busy-1").delete()
    stand.drain(vendor, clock, call_help=lambda: called.append("one"))
    assert called == ["one"]


def test_keeps_a_hand_free_for_who_is_woken_while_the_schedule_asks(vendor, supplier, order, clock):
    Wake.objects.create(
        vendor=vendor, reference="busy", cause="periodic", rank=2, holder="h", until=clock() + gate.REST
    )
    Wake.objects.create(vendor=vendor, reference="due", cause="periodic", rank=2, next_at=clock())
    stand.wake(vendor, order.reference)
    stand.drain(vendor, clock)
    assert outcomes(order) == [Outcome.UNCHANGED]
    assert Wake.objects.filter(reference="due").exists()
    gate.Gate.objects.update(slow_until=clock() + gate.SLOW_FOR)  # of a slow one both hands are needed
    stand.drain(vendor, clock)
    assert not Wake.objects.filter(reference="due").exists()


def test_goes_on_with_what_a_dead_process_held(vendor, order, clock):
    stand.wake(vendor, order.reference)
    Wake.objects.create(vendor=vendor, reference=order.reference, cause="webhook", holder="gone", until=clock())
    clock.forward(seconds=1)
    stand.drain(vendor, clock)
    assert outcomes(order) == [Outcome.UNCHANGED]


def test_writes_nothing_once_its_lease_is_lost(vendor, supplier, order, clock):
    """Whoever took over writes; the late answer may be older than theirs."""

    supplier.moves(order, "accepted")
    stand.wake(vendor, order.reference)
    meanwhile(vendor, clock, lambda: Wake.objects.update(holder="another", until=clock() + gate.REST))
    order.refresh_from_db()
    assert supplier.asked() == 1
    assert order.state == rules.PENDING
    assert not Reconciliation.objects.exists()
    assert outcomes(order) == [Outcome.WAITING]


def test_waits_while_the_order_is_being_placed(vendor, supplier, clock):
    """The answer to placing it is on its way, and may be older than what would be read."""
    order = stand.place(vendor)
    Command.objects.filter(target_id=order.pk).update(state="sending", until=clock() + gate.REST)
    stand.wake(vendor, order.reference)
    stand.drain(vendor, clock)
    assert supplier.asked() == 0
    assert outcomes(order) == [Outcome.WAITING]


def test_finds_an_order_whose_placing_nobody_heard_of(vendor, supplier, clock):
    supplier.answer = lambda request, usual: status(500) if request.method == "POST" else usual
    order = stand.place(vendor)
    stand.sync.send(vendor.connection_id, now=clock)
    supplier.moves(order, "accepted")
    stand.look(vendor, order, clock)
    assert (order.state, bool(order.remote_id)) == (rules.ACCEPTED, True)
    supplier.answer = lambda request, usual: usual
    stand.send(vendor, clock)
    order.refresh_from_db()
    assert order.state == rules.ACCEPTED
    assert not order.unexpected_move


def test_goes_before_all_else_where_a_person_asks(cast, vendor, supplier, clock):
    orders = [stand.placed(vendor) for _n in range(5)]
    for one in orders:
        stand.wake(vendor, one.reference)
    actions.look(order=orders[4], by=cast.olive)
    stand.drain(vendor, clock)
    first = Reconciliation.objects.order_by("pk").first()
    assert (first.reference, first.cause, first.by_name) == (orders[4].reference, Cause.PERSON, str(cast.olive))
    assert AuditEntry.objects.filter(verb="order.reconcile", by=cast.olive).count() == 1


def test_says_so_where_there_is_nobody_to_ask(cast, vendor, order):
    stand.Connection.objects.filter(pk=vendor.connection_id).update(health="key_refused")
    vendor.connection.refresh_from_db()
    stand.look(vendor, order)
    assert (last().outcome, last().reason) == (Found.FAILED, "The key for orders was refused.")
    assert outcomes(order) == [Outcome.FAILED]


def test_leaves_other_suppliers_alone(cast, vendor, order, fault_server):
    other = stand.add_vendor(cast.elsewhere, vendor.connection.url)
    stand.wake(other, order.reference)
    stand.drain(other)
    assert last().outcome == Found.NO_MATCH
    assert last().organization_id == cast.elsewhere.pk
