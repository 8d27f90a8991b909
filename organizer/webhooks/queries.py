"""What was delivered, for whoever reconciles."""

from datetime import datetime
from typing import Any

from django.db.models import Max, QuerySet

from organizer.webhooks.models import Delivery, Outcome, Vendor


def last_waiting(vendor_id: Any, reference: str) -> int:
    """All up to this one came before now; 0 where none waits."""
    waiting = Delivery.objects.filter(vendor=vendor_id, reference=reference, outcome=Outcome.WAITING)
    return waiting.aggregate(last=Max("pk"))["last"] or 0


def any_since(vendor_id: Any, reference: str, at: datetime) -> bool:
    return Delivery.objects.filter(vendor=vendor_id, reference=reference, received_at__gte=at).exists()


def with_waiting() -> QuerySet[Vendor]:
    return Vendor.objects.filter(pk__in=Delivery.objects.filter(outcome=Outcome.WAITING).values("vendor"))
