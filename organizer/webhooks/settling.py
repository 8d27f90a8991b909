"""What was delivered, for whoever reconciles: which deliveries wait, and what they came to."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet

from organizer.webhooks.models import Cause, Delivery, Found, Outcome, Reconciliation, Vendor

AGAIN = (Outcome.WAITING, Outcome.FAILED, Outcome.NO_MATCH)
"""A person who asks means those as well that came to nothing."""


def last_waiting(vendor_id: Any, reference: str, *, again: bool = False) -> int:
    """All up to this one came before now; 0 where none waits."""
    waiting = Delivery.objects.filter(vendor=vendor_id, reference=reference, outcome__in=_answered(again=again))
    return waiting.aggregate(last=Max("pk"))["last"] or 0


def any_since(vendor_id: Any, reference: str, at: datetime) -> bool:
    return Delivery.objects.filter(vendor=vendor_id, reference=reference, received_at__gte=at).exists()


def with_waiting() -> QuerySet[Vendor]:
    return Vendor.objects.filter(pk__in=Delivery.objects.filter(outcome=Outcome.WAITING).values("vendor"))


def settle(*, reconciliation: Reconciliation, upto: int) -> int:
    """It answers all of its order that came before it was asked: in the transaction that writes what it found."""
    of = Delivery.objects.filter(
        vendor=reconciliation.vendor_id, reference=reconciliation.reference, pk__lte=upto,
        outcome__in=_answered(again=reconciliation.cause == Cause.PERSON),
    )  # fmt: skip
    outcome = Outcome.NO_MATCH if reconciliation.outcome == Found.AMBIGUOUS else Outcome(reconciliation.outcome)
    return of.update(outcome=outcome, settled_at=reconciliation.finished_at, reconciliation=reconciliation)


def _answered(*, again: bool) -> Sequence[str]:
    return AGAIN if again else (Outcome.WAITING,)
