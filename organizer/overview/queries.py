"""What the first page asks of every room, in a handful of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee, StatusCount
from organizer.events.models import Event
from organizer.overview.rules import EventRow, is_live
from organizer.sync.models import Sweep

NEXT = 4
WAITING = 5
# an event without an end is taken to last this long
_LENGTH = timedelta(hours=12)
_OVER = ("cancelled", "deleted", "draft")


@dataclass(frozen=True)
class Waiting:
    """Guests who wait for an answer, at events that are not over."""

    count: int
    newest: Sequence[Attendee]


@dataclass(frozen=True)
class Overview:
    today: Sequence[EventRow]
    coming: Sequence[EventRow]
    waiting: Waiting
    has_events: bool

    @property
    def live(self) -> Sequence[EventRow]:
        return [row for row in self.today if row.is_live]

    @property
    def featured(self) -> Sequence[EventRow]:
        """What the page is about: what goes on now, else what starts first today."""
        return self.live or self.today[:1]

    @property
    def also_today(self) -> Sequence[EventRow]:
        return [row for row in self.today if row not in self.featured]


def overview(organization: Organization, *, now: datetime | None = None) -> Overview:
    now = now or timezone.now()
    day_start = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    day_end = day_start + timedelta(days=1)
    shown = _shown(organization)
    today = list(_today(shown, now, day_start, day_end))
    coming = list(shown.filter(starts_at__gte=day_end).order_by("sort_start", "id")[:NEXT])
    counts, read_at = _counts([*today, *coming]), _guests_read_at(today)
    return Overview(
        today=[_row(event, counts, read_at, now) for event in today],
        coming=[_row(event, counts, read_at, now) for event in coming],
        waiting=_waiting(shown, now),
        has_events=bool(today or coming) or shown.exists(),
    )


def _shown(organization: Organization) -> QuerySet[Event]:
    current = Event.objects.filter(organization=organization, connection__live=True, gone_at=None)
    return current.exclude(status__in=_OVER)


def _today(shown: QuerySet[Event], now: datetime, day_start: datetime, day_end: datetime) -> QuerySet[Event]:
    """What starts today, and what began before and still goes on."""
    running = Q(ends_at__gt=now) | Q(ends_at=None, starts_at__gt=now - _LENGTH)
    of_today = Q(starts_at__gte=day_start) | running
    return shown.filter(of_today, starts_at__lt=day_end).order_by("sort_start", "id")


def _counts(events: Sequence[Event]) -> dict[tuple[object, str], int]:
    kept = StatusCount.objects.filter(event__in=events).values_list("event_id", "status")
    return {(event_id, status): count for event_id, status, count in kept.annotate(sum=Sum("count")).order_by()}


def _guests_read_at(events: Sequence[Event]) -> dict[str, datetime | None]:
    connections = {event.connection_id for event in events}
    scopes = [event.remote_id for event in events if event.remote_id]
    sweeps = Sweep.objects.filter(connection__in=connections, noun="attendees", scope__in=scopes)
    return dict(sweeps.values_list("scope", "finished_at"))


def _row(
    event: Event, counts: dict[tuple[object, str], int], read_at: dict[str, datetime | None], now: datetime
) -> EventRow:
    return EventRow(
        event=event,
        going=counts.get((event.pk, "valid"), 0),
        checked_in=counts.get((event.pk, "checked_in"), 0),
        pending=counts.get((event.pk, "pending_approval"), 0),
        guests_read_at=read_at.get(event.remote_id or ""),
        is_live=is_live(starts_at=event.starts_at, ends_at=event.ends_at, length=_LENGTH, now=now),
    )


def _waiting(shown: QuerySet[Event], now: datetime) -> Waiting:
    """Counted from kept counts; the newest are looked for only where somebody waits."""
    still = shown.filter(Q(ends_at__gt=now) | Q(ends_at=None, sort_start__gt=now - _LENGTH))
    kept = StatusCount.objects.filter(event__in=still, status="pending_approval").values("event_id")
    events = [row["event_id"] for row in kept.annotate(sum=Sum("count")).order_by().filter(sum__gt=0)[:100]]
    if not events:
        return Waiting(0, [])
    newest = Attendee.objects.filter(event__in=events, status="pending_approval", gone_at=None)
    newest = newest.select_related("event").order_by(F("registered_at").desc(), "-id")
    return Waiting(kept.aggregate(count=Sum("count"))["count"] or 0, list(newest[:WAITING]))
