"""An order's moves: written in the transaction of the change, with their audit entry and what is due from then on."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from organizer.accounts import audit
from organizer.orders import rules
from organizer.orders.models import MoveCause, Order, OrderMove


@dataclass(frozen=True)
class Because:
    cause: str
    reconciliation_id: int | None = None
    at: datetime | None = None


_because: ContextVar[Because | None] = ContextVar("because", default=None)


@contextmanager
def because(cause: str, *, reconciliation_id: int | None = None, at: datetime | None = None) -> Iterator[None]:
    """What is written inside is written for this reason."""
    token = _because.set(Because(cause, reconciliation_id, at))
    try:
        yield
    finally:
        _because.reset(token)


def write(moves: Mapping[Any, tuple[str, str]]) -> None:
    """`moves` by the order's key: from which state to which, as it stands in its row by now."""
    why = _because.get()
    now = why.at if why and why.at else timezone.now()
    rows = []
    for order in Order.objects.filter(pk__in=moves):
        before, after = moves[order.pk]
        cause = why.cause if why else (MoveCause.OUTBOX if before else MoveCause.PLACED)
        odd = not rules.is_expected(before, after)
        reconciliation_id = why.reconciliation_id if why else None
        rows.append(
            OrderMove(
                order=order, at=now, before=before, after=after, cause=cause, is_unexpected=odd,
                reconciliation_id=reconciliation_id,
            )
        )  # fmt: skip
        if before:
            audit.record(
                f"order.{after}", target=order, organization=order.organization, by=None,
                before={"state": before}, after={"state": after, "cause": cause},
            )  # fmt: skip
        changes = _due(order, before, after, now, odd=odd)
        Order.objects.filter(pk=order.pk).update(unexpected_move=order.unexpected_move or odd, **changes)
    OrderMove.objects.bulk_create(rows)


def _due(order: Order, before: str, after: str, now: datetime, *, odd: bool) -> dict[str, Any]:
    """An answer to placing it may be older than what was read meanwhile: what looks odd is looked at at once."""
    luck = random.random()  # noqa: S311 not a secret
    if after in rules.FINAL:
        return {"state_due_at": None, "fulfilment_due_at": now if after == rules.FULFILLED else None}
    state_due_at = now if odd else rules.first_check(now, rules.STATE_EVERY, luck)
    if before in ("", rules.FAILED):
        return {"state_due_at": state_due_at, "state_read_at": now, "fulfilment_read_at": now}
    changes: dict[str, Any] = {}
    if odd or order.state_due_at is None:
        changes["state_due_at"] = state_due_at
    if order.fulfilment_due_at is None:
        changes["fulfilment_due_at"] = rules.first_check(now, rules.FULFILMENT_EVERY, luck)
    if before == rules.PLACING:
        changes["fulfilment_read_at"] = now
    return changes
