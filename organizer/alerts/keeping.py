"""How long it is all kept."""

from datetime import datetime, timedelta

from organizer.alerts import sending, volumes
from organizer.alerts.models import Alert

ALERTS_KEPT = timedelta(days=365)
AT_ONCE = 500


def forget(now: datetime) -> None:
    """Closed alerts with their history after a year; what was sent, and numbers of the log, after theirs."""
    old = Alert.objects.filter(closed=True, resolved_at__lt=now - ALERTS_KEPT).values_list("pk", flat=True)
    while some := list(old[:AT_ONCE]):
        Alert.objects.filter(pk__in=some).delete()
    sending.forget(now)
    volumes.forget(now)
