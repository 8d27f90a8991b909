"""Reads for the events' pages. Rows answer what the screen asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Case, CharField, Count, F, Q, QuerySet, Sum, Value, When
from django.http import Http404
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.connections.queries import CONNECTION
from organizer.events.models import Event, TicketClass
from organizer.events.phases import Phase, phase, share
from organizer.events.rules import LENGTH_WITHOUT_END
from organizer.kit import quick
from organizer.kit.calendars import DAY, days_of
from organizer.kit.days import zone_named
from organizer.kit.paging import KeysetPage, keyset_page
from organizer.kit.text import fold
from organizer.sync.models import OPEN, Command
from organizer.sync.rules import text

TABS = (Phase.UPCOMING, Phase.LIVE, Phase.PAST, Phase.DRAFT, Phase.CANCELLED)
NEARLY_FULL = 90
USUAL = ("valid", "checked_in", "pending_approval", "invited", "rejected", "deleted")

EVENT = quick.Columns(Event, "e", tuple(field.name for field in Event._meta.concrete_fields if field.name != "search"))
_EVENT_BY_KEY = (
    f"SELECT {EVENT}, {CONNECTION} FROM events_event e JOIN connections_connection c ON c.id = e.connection_id"  # noqa: S608 names of our own
    " WHERE e.id = %s AND e.organization_id = %s AND c.live"
)


@dataclass(frozen=True)
class Tab:
    phase: str
    count: int
    current: bool


@dataclass(frozen=True)
class EventRow:
    event: Event
    now: datetime
    counts: Mapping[str, int]
    """Guests by status, as kept with the mirror."""

    @cached_property
    def phase(self) -> Phase:
        event = self.event
        return phase(status=event.status, starts_at=event.starts_at, ends_at=event.ends_at, now=self.now)

    @property
    def by_status(self) -> Sequence[tuple[str, int]]:
        """The usual statuses in their usual order, then what else the provider says."""
        others = sorted(self.counts.keys() - set(USUAL))
        return [(status, self.counts.get(status, 0)) for status in (*USUAL, *others)]

    @property
    def is_open(self) -> bool:
        """Something about it is on its way to the API."""
        return self.event.outbox.get("state") in OPEN

    @property
    def pending(self) -> int:
        return self.counts.get("pending_approval", 0)

    @property
    def checked_in(self) -> int:
        return self.counts.get("checked_in", 0)

    @property
    def taken(self) -> int:
        """Who has a ticket, inside or not; before the guests were read the API's own figure."""
        return self.counts.get("valid", 0) + self.checked_in if self.counts else self.event.tickets_sold

    @property
    def full(self) -> bool:
        return bool(self.event.capacity) and self.taken >= self.event.capacity

    @property
    def nearly_full(self) -> bool:
        return not self.full and share(self.taken, self.event.capacity) >= NEARLY_FULL

    @property
    def left(self) -> int:
        return max(0, self.event.capacity - self.taken)

    @property
    def virtual(self) -> bool:
        return self.event.location_type == "virtual"

    @property
    def description(self) -> str:
        return text(self.event.payload.get("description"))

    @property
    def address(self) -> str:
        """Of its page, where a browser can open it."""
        url = self.event.url
        return url if url.startswith(("https://", "http://")) else ""


@dataclass(frozen=True)
class ClassRow:
    ticket_class: TicketClass
    now: datetime

    @property
    def limited(self) -> bool:
        return self.ticket_class.quantity_total > 0

    @property
    def left(self) -> int:
        return max(0, self.ticket_class.quantity_total - self.ticket_class.quantity_sold)

    @property
    def sold_out(self) -> bool:
        return self.limited and not self.left

    @property
    def nearly_full(self) -> bool:
        sold, total = self.ticket_class.quantity_sold, self.ticket_class.quantity_total
        return not self.sold_out and share(sold, total) >= NEARLY_FULL

    @property
    def is_open(self) -> bool:
        """Something about it is on its way to the API."""
        return self.ticket_class.outbox.get("state") in OPEN

    @property
    def bar(self) -> str:
        return "stop" if self.sold_out else "1"

    @property
    def sales(self) -> str:
        """`later`, `over` or `open`; sold out is another matter."""
        start, end = self.ticket_class.sales_start, self.ticket_class.sales_end
        return "later" if start and start > self.now else "over" if end and end <= self.now else "open"


@dataclass(frozen=True)
class EventList:
    page: KeysetPage[Any]
    rows: Sequence[EventRow]
    tabs: Sequence[Tab]
    total: int


def load_event(organization: Organization, event_id: UUID) -> Event:
    """Raises Http404, also for another organization's event. Most pages begin with it, so it is worded once."""
    params = [quick.value(Event, "id", event_id), quick.value(Event, "organization", organization.pk)]
    for event, connection in quick.read(_EVENT_BY_KEY, params, EVENT, CONNECTION):
        event.connection = connection
        return event
    raise Http404


def load_class(event: Event, class_id: UUID) -> TicketClass:
    """Raises Http404, also for another event's class."""
    ticket = event.ticket_classes.filter(pk=class_id).first()
    if ticket is None:
        raise Http404
    ticket.event = event
    return ticket


def find_class(event: Event, class_id: str) -> TicketClass | None:
    try:
        return load_class(event, UUID(class_id)) if class_id else None
    except (ValueError, Http404):
        return None


def load_command(event: Event, seq: str) -> Command:
    """One about the event or a class of it. Raises Http404."""
    about = Q(noun="events", target_id=event.pk)
    about |= Q(noun="ticket_classes", target_id__in=event.ticket_classes.values("pk"))
    command = Command.objects.filter(about, pk=int(seq) if seq.isdecimal() and len(seq) < 19 else 0).first()
    if command is None:
        raise Http404
    return command


def event_list(
    organization: Organization,
    *,
    tab: str = "",
    q: str = "",
    cursor: str = "",
    day: date | None = None,
    now: datetime | None = None,
) -> EventList:
    now = now or timezone.now()
    events = _with_phase(shown(organization), now)
    if day:
        events = events.filter(pk__in=[event.pk for event in between(organization, day, day)])
    tabs = _tabs(events, tab)
    for word in fold(q).split():
        events = events.filter(search__contains=word)
    if tab:
        events = events.filter(phase=tab)
    newest_first = tab in ("", Phase.PAST) and not day
    page = keyset_page(
        events.defer("payload", "search"),
        order=("-sort_start", "-id") if newest_first else ("sort_start", "id"),
        cursor=cursor,
        filters=f"{tab}\n{q}\n{day or ''}",
    )
    counts = counts_of(page.rows)
    return EventList(page, [EventRow(event, now, counts[event.pk]) for event in page.rows], tabs, tabs[0].count)


def row(event: Event, now: datetime | None = None) -> EventRow:
    return EventRow(event, now or timezone.now(), counts_of([event])[event.pk])


def class_rows(event: Event, now: datetime | None = None) -> Sequence[ClassRow]:
    """In the order of the API's list; a deleted class is not offered any more and goes last."""
    classes = event.ticket_classes.filter(gone_at=None).defer("payload").order_by("listed_at", "id")
    rows = [ClassRow(ticket_class, now or timezone.now()) for ticket_class in classes]
    return sorted(rows, key=lambda row: row.ticket_class.status == "deleted")


def between(organization: Organization, first: date, last: date) -> list[Event]:
    """What lies on one of these days, by the clock of where it takes place; in order of their beginnings."""
    begin = datetime.combine(first - DAY, time(), UTC)  # no zone is a whole day from UTC
    end = datetime.combine(last + 2 * DAY, time(), UTC)
    near = shown(organization).filter(sort_start__lt=end).filter(Q(sort_start__gte=begin) | Q(ends_at__gt=begin))
    found = near.exclude(starts_at=None).defer("payload", "search")
    return [event for event in found.order_by("sort_start", "id") if _lies_on(event, first, last)]


def _lies_on(event: Event, first: date, last: date) -> bool:
    begins, ends = days_of(event.starts_at, event.ends_at, zone_named(event.timezone))  # type: ignore[arg-type]
    return begins <= last and ends >= first


def counts_of(events: Sequence[Event]) -> dict[Any, dict[str, int]]:
    """Summed in the database: each change of a guest is a row until a walk ends. The relation is of the room above."""
    counts: dict[Any, dict[str, int]] = {event.pk: {} for event in events}
    for event_id, status, count in quick.worded(_counts_of, list(counts)) if counts else ():
        counts[event_id][status] = count
    return counts


def _counts_of(events: Sequence[UUID]) -> QuerySet[Event, Any]:
    kept = Event.objects.filter(pk__in=events).values_list("pk", "status_counts__status")
    return kept.annotate(sum=Sum("status_counts__count")).order_by().filter(sum__gt=0)


def shown(organization: Organization) -> QuerySet[Event]:
    current = Event.objects.filter(organization=organization, connection__live=True, gone_at=None)
    return current.exclude(status=Phase.DELETED)


def _tabs(events: QuerySet[Any], current: str) -> Sequence[Tab]:
    counts: dict[str, int] = dict(events.order_by().values_list("phase").annotate(Count("pk")))
    return [
        Tab("", sum(counts.values()), not current),
        *(Tab(one, counts.get(one, 0), current == one) for one in TABS),
    ]


def _with_phase(events: QuerySet[Event], now: datetime) -> QuerySet[Any]:
    """`phases.phase`, said in SQL."""
    has_end = Q(ends_at__gt=F("starts_at"))
    return events.annotate(
        phase=Case(
            When(status__in=[Phase.DRAFT, Phase.CANCELLED, Phase.DELETED], then=F("status")),
            When(status="completed", then=Value(Phase.PAST.value)),
            When(Q(starts_at=None) | Q(starts_at__gt=now), then=Value(Phase.UPCOMING.value)),
            When(has_end & Q(ends_at__gt=now), then=Value(Phase.LIVE.value)),
            When(has_end, then=Value(Phase.PAST.value)),
            When(starts_at__gt=now - LENGTH_WITHOUT_END, then=Value(Phase.LIVE.value)),
            default=Value(Phase.PAST.value),
            output_field=CharField(),
        )
    )
