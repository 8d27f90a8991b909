"""The clock is set back, the disk is full: no order waits for an hour that has been, and no half of a file stays."""

import resource
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from organizer.orders import gate, rules, tasks, wakes
from organizer.orders.models import Gate, Order, Ticket, Wake
from organizer.webhooks.models import Delivery, Reconciliation
from tests.orders import stand
from tests.orders.test_schedule import many
from tests.support.faults import Answer

BACK = timedelta(hours=5)


def set_back(*rows):
    """What was written of times before the clock was set back is that much ahead of it now."""
    for model in rows:
        names = [field.name for field in model._meta.fields if field.get_internal_type() == "DateTimeField"]
        for row in model.objects.all():
            moments = {name: getattr(row, name) + BACK for name in names if getattr(row, name)}
            model.objects.filter(pk=row.pk).update(**moments)


def swept(vendor):
    """As the sweep does it, with what it would tell the worker done here."""
    tasks.reconcile_waiting()
    stand.drain(vendor)


def test_checks_are_not_put_off(vendor, supplier):
    many(vendor, supplier, 5, at=timezone.now())
    set_back(Order)
    for found in supplier.orders.values():
        found["status"] = "rejected"
    swept(vendor)
    assert set(Order.objects.values_list("state", flat=True)) == {rules.REJECTED}
    assert Order.objects.filter(state_read_at__gt=timezone.now() + BACK / 2).count() == 0


def test_an_answer_is_taken_although_the_order_was_placed_later(vendor, supplier, order):
    set_back(Order)
    supplier.moves(order, "rejected")
    assert stand.look(vendor, order).state == rules.REJECTED


def test_a_rest_a_turn_and_a_lease_end(vendor, supplier, order):
    gate.of(vendor, timezone.now())
    Gate.objects.update(failures=5, rests_until=timezone.now() + gate.REST, slot_at=timezone.now() + gate.APART)
    stand.wake(vendor, order.reference)
    wakes.gather_deliveries(vendor, timezone.now())
    for holder in ("another-machine:1:x", "another-machine:2:x"):
        until = timezone.now() + wakes.LEASE
        Wake.objects.create(vendor=vendor, reference=holder, cause="webhook", holder=holder, until=until)
    Wake.objects.filter(holder="").update(next_at=timezone.now() + rules.RETRIES[-1])
    set_back(Gate, Wake)
    swept(vendor)
    assert Delivery.objects.get().outcome == "unchanged"
    assert not Wake.objects.exists()
    assert Gate.objects.get().failures == 0


def test_what_was_asked_after_the_clock_was_set_back_is_heard(vendor, order, clock):
    """The look that ran then began later, by the clock of that time."""
    stand.wake(vendor, order.reference)
    wakes.gather_deliveries(vendor, clock())
    gate.take(vendor, clock())
    once = iter([lambda: wakes.ask(vendor.pk, order.reference, "person", now=clock() - BACK)])
    stand.work.drain(vendor.pk, now=clock, sleep=lambda seconds: next(once, lambda: None)())
    assert list(Reconciliation.objects.order_by("pk").values_list("cause", flat=True)) == ["webhook", "person"]


@pytest.fixture
def ticket(vendor, supplier, order):
    """Its file is large, so that a limit which it does not fit into leaves the database alone."""
    large = Answer(200, b"%PDF" + b"x" * (9 << 20), stand.WIDE | {"Content-Type": "application/pdf"})
    usual = supplier.answer
    supplier.answer = lambda request, it: large if request.path.endswith("/file") else usual(request, it)
    supplier.moves(order, "accepted")
    supplier.prints(order, {"id": "t1"})
    return order


def files():
    return [one for one in Path(Ticket.file.field.storage.base_location).rglob("*") if one.is_file()]


def test_a_file_that_does_not_fit_leaves_nothing_and_comes_later(vendor, ticket, clock):
    before, limits = files(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, limits[1]))
    try:
        stand.look(vendor, ticket, clock)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert files() == before
    waiting = ticket.tickets.get()
    assert (waiting.fetched_at, waiting.problem[:36]) == (None, "Its file could not be stored here. I")
    assert ticket.state == rules.ACCEPTED
    clock.forward(minutes=6)
    stand.drain(vendor, clock)
    assert ticket.tickets.get().size == (9 << 20) + 4
