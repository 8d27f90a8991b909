"""An order is ours before the supplier knows of it, and is never placed twice."""

import json

import pytest
from django.db import transaction

from organizer.accounts.models import AuditEntry
from organizer.orders import actions, rules
from organizer.orders.models import MoveCause, Order
from organizer.sync import outbox
from organizer.sync.models import Command
from organizer.sync.models import State as Sending
from tests.orders import stand
from tests.support.faults import close, says, slow, status


def moves(order):
    return list(order.moves.order_by("pk").values_list("before", "after", "cause"))


def test_is_placed_at_a_real_supplier(cast, real, work):
    from organizer.connections import clients

    with clients.supplier_api(real.connection) as api:
        listing = api.listings.page("supper parkett", 1).items[0]
    order = actions.place(
        vendor=real, items=[actions.Item(listing.id, 2)], name="Zoë O'Hara", email="zoe@x.test", by=cast.olive
    )
    assert (order.state, order.remote_id) == (rules.PLACING, None)
    stand.send(real)
    order.refresh_from_db()
    assert (order.state, order.currency, order.total) == (rules.PENDING, "EUR", 2 * listing.price)
    assert order.remote_id
    assert moves(order) == [("", "placing", MoveCause.PLACED), ("placing", "pending", MoveCause.OUTBOX)]
    work()
    stand.look(real, order)
    assert order.state == rules.FULFILLED
    assert [ticket.size > 0 for ticket in order.tickets.all()] == [True, True]


def test_carries_its_reference_as_the_key(vendor, supplier):
    order = stand.placed(vendor, reference="R-ü 1")
    [sent] = [one for one in supplier.server.requests if one.method == "POST"]
    assert sent.headers["idempotency-key"] == "R-%C3%BC 1"
    assert sent.headers["authorization"] == f"Bearer {stand.KEY}"
    assert json.loads(sent.body)["reference"] == order.reference


def test_is_audited_with_its_moves(cast, vendor):
    order = stand.placed(vendor, by=cast.olive)
    verbs = AuditEntry.objects.filter(target_id=str(order.pk)).order_by("pk").values_list("verb", "by_name")
    assert list(verbs) == [("order.place", str(cast.olive)), ("order.pending", "system")]


@pytest.mark.parametrize("fault", [close(), status(500), says({"data": []}), slow(3)])
def test_is_placed_once_whatever_the_answer(vendor, supplier, clock, settings, fault):
    settings.FOYER_API_TIMEOUT = 1.0
    answers = iter([fault])

    def answer(request, usual):
        return next(answers, usual) if request.method == "POST" else usual

    supplier.answer = answer
    order = stand.place(vendor)
    stand.send(vendor, clock)
    order.refresh_from_db()
    assert order.state == rules.PENDING
    assert supplier.asked(method="POST") == 2
    assert len(supplier.orders) == 1


def test_fails_with_the_suppliers_reason_and_stays(cast, vendor, supplier):
    refusal = {"error": "not_available", "message": "Only 1 are left of Stalls."}
    supplier.answer = lambda request, usual: says(refusal, status=422) if request.method == "POST" else usual
    order = stand.place(vendor)
    stand.send(vendor)
    order.refresh_from_db()
    assert order.state == rules.FAILED
    assert order.outbox["reason"] == "Only 1 are left of Stalls."
    assert moves(order)[-1] == ("placing", "failed", MoveCause.OUTBOX)
    outbox.mark_seen(Command.objects.filter(target_id=order.pk))
    order.refresh_from_db()
    assert (order.state, order.reference, order.state_due_at) == (rules.FAILED, order.reference, None)


def test_can_be_sent_again_after_it_failed(vendor, supplier):
    supplier.answer = lambda request, usual: status(422, "not_available") if request.method == "POST" else usual
    order = stand.place(vendor)
    stand.send(vendor)
    supplier.answer = lambda request, usual: usual
    outbox.send_again(Command.objects.get(target_id=order.pk), by=None)
    stand.send(vendor)
    order.refresh_from_db()
    assert order.state == rules.PENDING
    assert [after for _, after, _ in moves(order)] == ["placing", "failed", "placing", "pending"]
    assert not order.unexpected_move


@pytest.mark.parametrize("was_made", [True, False])
def test_is_looked_for_when_nobody_knows_for_a_day(vendor, supplier, clock, was_made):
    supplier.answer = lambda request, usual: status(500) if request.method == "POST" else usual
    order = stand.place(vendor)
    stand.sync.send(vendor.connection_id, now=clock)
    assert (supplier.asked(), supplier.asked(method="POST")) == (0, 1)
    if was_made:
        supplier.moves(order, "accepted")
    else:
        supplier.orders.clear()
    before = supplier.asked(method="POST")
    supplier.answer = lambda request, usual: usual
    clock.forward(hours=23, minutes=5)
    stand.send(vendor, clock)
    order.refresh_from_db()
    assert supplier.asked() >= 1
    assert supplier.asked(method="POST") - before == (0 if was_made else 1)
    assert order.state == ("accepted" if was_made else "pending")
    assert Command.objects.get(target_id=order.pk).state == Sending.DONE


def test_does_not_take_another_order_for_its_own(vendor, supplier, clock):
    first = stand.placed(vendor)

    def lies(request, usual):
        lie = supplier.orders[first.reference]
        return says({"data": lie}, headers=stand.WIDE) if request.method == "POST" else usual

    supplier.answer = lies
    second = stand.place(vendor)
    stand.sync.send(vendor.connection_id, now=clock)
    assert Order.objects.count() == 2
    second.refresh_from_db()
    assert (second.state, second.remote_id) == (rules.PLACING, None)


def test_is_the_same_order_under_the_same_reference(vendor):
    first = stand.place(vendor, reference="shop-7")
    assert stand.place(vendor, reference="shop-7") == first
    with pytest.raises(actions.CouldNotPlace) as problem:
        stand.place(vendor, reference="shop-7", quantity=3)
    assert problem.value.error == "reference_in_use"
    assert Command.objects.count() == 1


def test_leaves_nothing_of_an_order_that_was_not_committed(vendor):
    with transaction.atomic():
        stand.place(vendor)
        transaction.set_rollback(True)
    assert not Order.objects.exists()
    assert not Command.objects.exists()


def test_is_held_while_the_key_is_refused(vendor, supplier):
    supplier.answer = lambda request, usual: status(401, "invalid_key")
    order = stand.place(vendor)
    stand.send(vendor)
    supplier.answer = lambda request, usual: usual
    stand.send(vendor)
    order.refresh_from_db()
    assert order.state == rules.PLACING
    stand.webhooks.connect_orders(vendor=vendor, url=supplier.url, key="sup_live_" + "n" * 32, by=None)
    stand.Connection.objects.filter(pk=vendor.connection_id).update(health="working")
    stand.send(vendor)
    order.refresh_from_db()
    assert order.state == rules.PENDING
