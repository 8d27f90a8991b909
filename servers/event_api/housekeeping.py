"""What the event API no longer needs."""

from datetime import timedelta

from servers.event_api.idempotency import LIFETIME
from servers.event_api.models import IdempotencyRecord, RateWindow
from servers.kit import clock, limits, writes


def clean_up() -> None:
    hour_ago = clock.now() - timedelta(hours=1)
    with writes.turn():
        # an hour longer than they are replayed, so that a request in flight never meets a vanishing record
        IdempotencyRecord.objects.filter(created_at__lt=hour_ago - LIFETIME).delete()
    limits.forget_addresses(RateWindow, hour_ago)
