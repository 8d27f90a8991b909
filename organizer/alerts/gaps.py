"""How a supplier usually calls: steps through its deliveries by their index, and not through all of them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from django.db import connection

from organizer.webhooks.models import Delivery, Vendor

STEP = timedelta(minutes=15)
"""Of the weeks before, shorter gaps are not told apart: only the long ones matter there."""
WEEKS = timedelta(days=28)
LATEST = 200

_STEPS = """WITH RECURSIVE seen(at) AS (
  SELECT (SELECT max(received_at) FROM {table} WHERE vendor_id = %s AND received_at <= %s)
  UNION ALL
  SELECT (SELECT max(received_at) FROM {table} WHERE vendor_id = %s AND received_at < {before}) FROM seen
    WHERE seen.at > %s
) SELECT at FROM seen WHERE at IS NOT NULL"""
_BEFORE = {
    "postgresql": f"seen.at - interval '{STEP.total_seconds():.0f} seconds'",
    "sqlite": f"strftime('%%Y-%%m-%%d %%H:%%M:%%f', seen.at, '-{STEP.total_seconds():.0f} seconds')",
}

Gaps = Sequence[timedelta]


def of(vendor: Vendor, last: datetime) -> tuple[Gaps, Gaps]:
    """Those between its latest deliveries, and those of the four weeks before them."""
    lately = Delivery.objects.filter(vendor=vendor, received_at__gte=last - WEEKS).order_by("-received_at", "-id")
    latest = list(lately.values_list("received_at", flat=True)[: LATEST + 1])
    older = _steps(vendor, latest[-1], last - WEEKS) if len(latest) > LATEST else []
    return _between(latest), _between(older)


def _between(moments: Sequence[datetime]) -> Gaps:
    return [later - earlier for later, earlier in pairwise(moments)]


def _steps(vendor: Vendor, until: datetime, since: datetime) -> Sequence[datetime]:
    """Moments of deliveries, newest first, each at least a step before the last."""
    field = Delivery._meta.get_field("received_at")
    key = Delivery._meta.get_field("vendor").get_db_prep_value(vendor.pk, connection)
    begins, ends = (field.get_db_prep_value(at, connection) for at in (since, until))
    sql = _STEPS.format(table=Delivery._meta.db_table, before=_BEFORE[connection.vendor])
    with connection.cursor() as cursor:
        cursor.execute(sql, [key, ends, key, begins])
        return [_moment(at) for (at,) in cursor.fetchall()]


def _moment(at: datetime | str) -> datetime:
    """SQLite keeps times as text, without a zone."""
    return at if isinstance(at, datetime) else datetime.fromisoformat(at).replace(tzinfo=UTC)
