"""What a look at an order came to: written in one transaction with the order, its history and the deliveries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from organizer.orders import bulks, fulfilments, history, rules, wakes
from organizer.orders.models import MoveCause, Order, Wake
from organizer.sync import mirror, registry
from organizer.upstream.supplier_api import Fulfilment
from organizer.upstream.supplier_api import Order as Answered
from organizer.webhooks import settling as deliveries
from organizer.webhooks.models import Cause, Found, Reconciliation


@dataclass
class Finding:
    """`outcome` is what the asking came to; whether the order changed is known once it is written."""

    started_at: datetime
    outcome: Found = Found.UNCHANGED
    reason: str = ""
    status: int | None = None
    took: float = 0.0
    order: Answered | None = None
    asked_at: datetime | None = None
    """When the order was asked for; None where only its tickets were."""
    fulfilment: Fulfilment | None = None
    retry: bool = False


def write(wake: Wake, order: Order | None, found: Finding, *, upto: int, now: datetime, luck: float) -> None:
    """Nothing of it where the lease was lost meanwhile."""
    with transaction.atomic():
        held = wakes.mine(wake).select_for_update().first()
        if held is None:
            return
        again = rules.retry(wake.tries + 1, now, luck) if found.retry and wakes.is_tried_again(wake) else None
        entry = _begin(wake, order, found, now)
        if order is not None:
            _take(entry, order, found, now, luck)
        _finish(entry)
        if held.in_bulk:
            bulks.note(entry)
        if again:
            wakes.release(wake, again, tries=wake.tries + 1, in_bulk=False)
            return
        if upto:
            entry.deliveries = deliveries.settle(reconciliation=entry, upto=upto)
            entry.save(update_fields=["deliveries"])
        if held.next_at != wake.next_at:  # asked for again meanwhile (`wakes.ask`)
            wakes.release(wake, held.next_at, in_bulk=False)
        else:
            held.delete()


def _begin(wake: Wake, order: Order | None, found: Finding, now: datetime) -> Reconciliation:
    return Reconciliation(
        organization_id=wake.vendor.organization_id, vendor_id=wake.vendor_id, reference=wake.reference,
        order_id=order.pk if order else None, cause=wake.cause, by_name=wake.by_name, started_at=found.started_at,
        finished_at=now, status=found.status, took=round(found.took * 1000), outcome=found.outcome,
        reason=found.reason,
    )  # fmt: skip


def _take(entry: Reconciliation, order: Order, found: Finding, now: datetime, luck: float) -> None:
    """The entry is told what the order was and is, of what changed."""
    order = Order.objects.select_for_update().get(pk=order.pk)
    was, last_read, had = _told(order), order.state_read_at, order.tickets.count()
    if found.order and found.asked_at and _is_news(order, found.order):
        if order.state != rules.state_of(found.order.status):
            entry.save()  # the history names it
        with history.because(MoveCause(entry.cause), reconciliation_id=entry.pk, at=now):
            _store(order, found.order, found.asked_at)
        order.refresh_from_db()
    fresh = fulfilments.keep(order, found.fulfilment, now) if found.fulfilment and found.fulfilment.tickets else 0
    Order.objects.filter(pk=order.pk).update(**_changes(order, found, had + fresh, now, luck))
    entry.before, entry.after = rules.differences(was | {"tickets": had}, _told(order) | {"tickets": had + fresh})
    if entry.after and entry.outcome == Found.UNCHANGED:
        entry.outcome = Found.CHANGED
    if entry.after and entry.cause == Cause.PERIODIC:
        entry.missed = not deliveries.any_since(order.vendor_id, order.reference, last_read)


def _is_news(order: Order, answered: Answered) -> bool:
    return order.remote_id is None or order.payload != answered.payload or order.doubts != list(answered.doubts)


def _store(order: Order, answered: Answered, asked_at: datetime) -> None:
    noun = registry.noun("orders")
    if order.remote_id is None:
        mirror.adopt(noun, order, answered.id)
    mirror.store(noun, mirror.Read(order.connection, "", [answered], order.generation, asked_at))


def _changes(order: Order, found: Finding, tickets: int, now: datetime, luck: float) -> dict[str, Any]:
    """What was not answered is no younger for having been asked; after a failure it is asked again in a minute."""
    changes: dict[str, Any] = {"problem": found.reason}
    soon, later = now + rules.AGAIN_SOON * (0.85 + 0.3 * luck), rules.next_check(now, rules.FULFILMENT_EVERY, luck)
    again = soon if found.outcome == Found.FAILED or found.order else later
    if found.order:
        changes["state_read_at"] = now
        if order.is_open:
            changes["state_due_at"] = rules.next_check(now, rules.STATE_EVERY, luck)
    elif order.state_due_at and order.state_due_at <= now:
        changes["state_due_at"] = again
    if found.fulfilment:
        expected = fulfilments.expected(order, found.fulfilment)
        changes |= {"fulfilment": found.fulfilment.status, "tickets_expected": expected, "fulfilment_read_at": now}
        is_whole = found.fulfilment.status == fulfilments.AVAILABLE and 0 < tickets >= expected
        over = order.state in rules.FINAL and order.state != rules.FULFILLED
        changes["fulfilment_due_at"] = None if is_whole or over else later
    elif order.fulfilment_due_at and order.fulfilment_due_at <= now:
        changes["fulfilment_due_at"] = again
    return changes


def _told(order: Order) -> dict[str, Any]:
    """What a person wants to hear of, where it is another than before; the tickets beside it."""
    return {
        "state": order.state,
        "total": str(order.total.normalize()),
        "seats": [one.get("seats") for one in order.payload.get("items") or [] if isinstance(one, dict)],
        "reason": order.rejection_reason,
    }


def _finish(entry: Reconciliation) -> None:
    """The schedule's looks that found nothing new add up in one row."""
    quiet = (Cause.PERIODIC, Found.UNCHANGED, "")
    if (entry.cause, entry.outcome, entry.reason) == quiet and not entry.pk:
        last = Reconciliation.objects.filter(vendor=entry.vendor_id, reference=entry.reference).order_by("-pk").first()
        if last and (last.cause, last.outcome, last.reason) == quiet:
            entry.pk, entry.times, entry.started_at = last.pk, last.times + 1, last.started_at
            entry.deliveries = last.deliveries
    entry.save(force_update=entry.pk is not None)
