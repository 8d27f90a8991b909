"""How much is stored in an hour: an hour is counted once, when it is over, so that a day is 24 rows to add up."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Sum
from django.db.models.functions import Coalesce

from organizer.accounts.models import Organization
from organizer.alerts.models import Volume
from organizer.webhooks.models import Delivery

HOUR, DAY = timedelta(hours=1), timedelta(hours=24)
KEPT = timedelta(days=35)


def count(organization: Organization, now: datetime) -> None:
    """Hours of the last day that are over and were not counted yet."""
    end = now.replace(minute=0, second=0, microsecond=0)
    known = set(Volume.objects.filter(organization=organization, hour__gte=end - DAY).values_list("hour", flat=True))
    missing = [hour for number in range(1, 25) if (hour := end - number * HOUR) not in known]
    made = [_counted(organization, hour) for hour in missing]
    Volume.objects.bulk_create(made, ignore_conflicts=True)


def of_day(organization: Organization, now: datetime) -> tuple[int, int]:
    """Rows and bytes of the last 24 whole hours."""
    end = now.replace(minute=0, second=0, microsecond=0)
    hours = Volume.objects.filter(organization=organization, hour__gte=end - DAY)
    found: dict[str, Any] = hours.aggregate(rows=Coalesce(Sum("rows"), 0), size=Coalesce(Sum("bytes"), 0))
    return found["rows"], found["size"]


def forget(now: datetime) -> None:
    Volume.objects.filter(hour__lt=now - KEPT).delete()


def _counted(organization: Organization, hour: datetime) -> Volume:
    stored = Delivery.objects.filter(organization=organization, received_at__gte=hour, received_at__lt=hour + HOUR)
    found: dict[str, Any] = stored.aggregate(rows=Count("pk"), size=Coalesce(Sum("body_size"), 0))
    return Volume(organization=organization, hour=hour, rows=found["rows"], bytes=found["size"])
