"""What the first page asks of every room, in a handful of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.attendees import figures
from organizer.attendees.columns import OVERVIEW
from organizer.attendees.figures import Figures
from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.queries import shown as list_fields
from organizer.attendees.rows import GuestRow, rows_of
from organizer.attendees.rules import SLOT
from organizer.attendees.waiting import PENDING
from organizer.events.models import Event
from organizer.kit import quick
from organizer.overview.dayof import Arrivals, arrivals
from organizer.overview.rules import is_live
from organizer.overview.timeline import LONGEST
from organizer.sync.models import Sweep

NEXT = 4
WAITING = 5
MOST_EVENTS = 100
# an event without an end is taken to last this long
_LENGTH = timedelta(hours=12)
_OVER = ("cancelled", "deleted", "draft")


@dataclass(frozen=True)
class EventRow:
    event: Event
    figures: Figures
    arrivals: Arrivals
    guests_read_at: datetime | None
    is_live: bool

    @property
    def going(self) -> int:
        return self.figures.going

    @property
    def checked_in(self) -> int:
        return self.figures.inside

    @property
    def pending(self) -> int:
        return self.figures.pending

    @property
    def expected(self) -> int:
        return self.figures.expected

    @property
    def spark_name(self) -> str:
        return f"spark-{self.event.pk}"

    @property
    def has_arrivals(self) -> bool:
        return self.is_live or self.checked_in > 0


@dataclass(frozen=True)
class Waiting:
    """Guests who wait for an answer, at events that are not over: the newest of them, and whom a page shows already."""

    count: int
    rows: Sequence[GuestRow]


@dataclass(frozen=True)
class Overview:
    today: Sequence[EventRow]
    coming: Sequence[EventRow]
    waiting: Waiting
    has_events: bool
    events_sweep: Sweep | None

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


def overview(organization: Organization, *, on_screen: Sequence[UUID] = (), now: datetime | None = None) -> Overview:
    """`on_screen` are guests whose rows an open page shows."""
    now = now or timezone.now()
    day_start = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    day_end = day_start + timedelta(days=1)
    shown = _shown(organization.pk)
    events = list(_from_today(shown, now, day_start).defer("payload", "search")[:MOST_EVENTS])
    today = [event for event in events if event.starts_at and event.starts_at < day_end]
    coming = [event for event in events if event not in today][:NEXT]
    kept = figures.of([*today, *coming], now - LONGEST, now + SLOT)
    sweeps = _sweeps(organization, today)

    def row(event: Event) -> EventRow:
        sweep = sweeps.get(event.remote_id or "")
        return EventRow(
            event=event,
            figures=kept[event.pk],
            arrivals=arrivals(event, kept[event.pk], now),
            guests_read_at=sweep.finished_at if sweep else None,
            is_live=is_live(starts_at=event.starts_at, ends_at=event.ends_at, length=_LENGTH, now=now),
        )

    return Overview(
        today=[row(event) for event in today],
        coming=[row(event) for event in coming],
        waiting=_waiting(organization, now, _still_there(organization, on_screen)),
        has_events=bool(events) or shown.exists(),
        events_sweep=sweeps.get(""),
    )


def still(prefix: str = "", *, now: datetime, began: datetime) -> Q:
    """Events that are not over; with `prefix` of rows that belong to one. What has no end and `began` by then is."""
    ends, start = f"{prefix}ends_at", f"{prefix}sort_start__gt"
    return Q(**{f"{ends}__gt": now}) | Q(**{ends: None, start: began})


def began_before(now: datetime) -> datetime:
    return now - _LENGTH


def _shown(organization_id: UUID) -> QuerySet[Event]:
    current = Event.objects.filter(organization=organization_id, connection__live=True, gone_at=None)
    return current.exclude(status__in=_OVER)


def _from_today(shown: QuerySet[Event], now: datetime, day_start: datetime) -> QuerySet[Event]:
    """What began before and still goes on, what starts today, and what comes."""
    running = Q(ends_at__gt=now) | Q(ends_at=None, starts_at__gt=now - _LENGTH)
    return shown.filter(Q(starts_at__gte=day_start) | running, starts_at__isnull=False).order_by("sort_start", "id")


def _sweeps(organization: Organization, events: Sequence[Event]) -> dict[str, Sweep]:
    """By scope: of the guests of each event, and under "" of the events themselves."""
    scopes = [event.remote_id for event in events if event.remote_id]
    wanted = Q(noun="events", scope="") | Q(noun="attendees", scope__in=scopes)
    mine = Sweep.objects.filter(wanted, connection__organization=organization, connection__live=True)
    return {sweep.scope: sweep for sweep in mine.select_related("connection__walker")}


def _waiting(organization: Organization, now: datetime, there: Sequence[Attendee]) -> Waiting:
    """Counted from kept counts; the newest are looked for only where somebody waits.

    Rows that a page shows stay in their places until all of them are decided and sent; who is new stands below them.
    """
    counts = dict(quick.worded(_waiting_at, organization.pk, now, began_before(now)))
    stay = rows_of(there, OVERVIEW)
    if not any(row.is_open or row.waits_for_answer for row in stay):
        stay = []
    room = max(0, WAITING - len(stay))
    if not counts or not room:
        return Waiting(sum(counts.values()), stay)
    newest = Attendee.objects.filter(event__in=list(counts)[:MOST_EVENTS], status=PENDING, gone_at=None)
    newest = newest.exclude(pk__in=[row.guest.pk for row in stay]).order_by(F("registered_at").desc(), "-id")
    return Waiting(sum(counts.values()), [*stay, *rows_of(list(_light(newest)[:room]), OVERVIEW)])


def _waiting_at(organization_id: UUID, now: datetime, began: datetime) -> QuerySet[Any]:
    """How many, by event."""
    shown = _shown(organization_id).filter(still(now=now, began=began))
    kept = StatusCount.objects.filter(event__in=shown, status=PENDING)
    return kept.values_list("event_id").annotate(sum=Sum("count")).order_by().filter(sum__gt=0)


def _still_there(organization: Organization, on_screen: Sequence[UUID]) -> Sequence[Attendee]:
    """In the order of the page."""
    places = {pk: place for place, pk in enumerate(on_screen[:WAITING])}
    if not places:
        return []
    mine = Attendee.objects.filter(organization=organization, connection__live=True, pk__in=places)
    return sorted(_light(mine), key=lambda guest: places[guest.pk])


def _light(guests: QuerySet[Attendee]) -> QuerySet[Attendee]:
    return list_fields(guests, OVERVIEW, (), ())
