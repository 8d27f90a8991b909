"""What the supplier API no longer needs."""

from datetime import timedelta

from servers.kit import clock, limits, writes
from servers.supplier_api.models import Delivery, RateWindow

KEPT = timedelta(days=30)


def clean_up() -> None:
    now = clock.now()
    with writes.write():
        Delivery.objects.filter(created_at__lt=now - KEPT).exclude(state=Delivery.State.WAITING).delete()
    limits.forget_addresses(RateWindow, now - timedelta(hours=1))
