"""Reads for the guests' pages. Rows answer what the screen asks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import cached_property
from typing import Any, Protocol
from uuid import UUID

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.attendees import columns, search
from organizer.attendees.columns import APPROVALS, EVENT, EVERYBODY
from organizer.attendees.filters import Filters
from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.rows import GuestRow, rows_of
from organizer.events.models import Event, TicketClass
from organizer.kit import quick
from organizer.kit.paging import KeysetPage, keyset_page

EXAMPLES = 3
FIELDS = (
    "remote_id", "event_id", "status", "gone_at", "outbox", "doubts", "name", "email", "ticket_class_name",
    "registered_at", "checked_in_at",
)  # fmt: skip
"""What every row of a list asks of its guest, whatever its columns are."""
STATUSES = ("valid", "pending_approval", "invited", "checked_in", "rejected", "deleted")


class Counted(Protocol):
    """A tab of any list."""

    @property
    def count(self) -> int: ...
    @property
    def current(self) -> bool: ...


@dataclass(frozen=True)
class Tab:
    """A status and how many have it. A status that we do not know has a tab of its own word."""

    status: str
    count: int
    address: str
    current: bool


@dataclass(frozen=True)
class GuestList:
    page: KeysetPage[Attendee]
    rows: Sequence[GuestRow]
    found: int | None
    """How many match the search, where that is known without counting all."""


class Scope:
    """Whose guests a list shows: one event's, or those of all events of the organization."""

    def __init__(self, organization: Organization, event: Event | None = None) -> None:
        self.organization = organization
        self.event = event

    @property
    def list(self) -> str:
        return EVENT if self.event else EVERYBODY

    @cached_property
    def events(self) -> Sequence[Event]:
        if self.event:
            return [self.event]
        shown = Event.objects.filter(organization=self.organization, connection__live=True, gone_at=None)
        return list(shown.order_by("sort_start", "id").only("id", "connection_id"))

    @property
    def guests(self) -> QuerySet[Attendee]:
        if self.event:
            return Attendee.objects.filter(event=self.event)
        # the organization too: every read of a row of the mirror says whose it is
        connections = {event.connection_id for event in self.events}
        mine = Attendee.objects.filter(organization=self.organization)
        return (
            mine.filter(connection=connections.pop()) if len(connections) == 1 else mine.filter(connection__live=True)
        )

    @property
    def searched(self) -> QuerySet[Attendee]:
        return Attendee.objects.filter(event__in=self.events)


def matching(scope: Scope, filters: Filters) -> tuple[QuerySet[Attendee], int | None]:
    """Everybody whom the list with these filters shows, and how many the search found where that is known."""
    return search.narrow(_filtered(scope.guests, filters), scope.searched, filters.q)


def guest_list(scope: Scope, filters: Filters, cursor: str = "") -> GuestList:
    guests, found = matching(scope, filters)
    page = keyset_page(
        shown(guests, scope.list, filters.columns, filters.order),
        order=filters.order,
        cursor=cursor,
        filters=filters.rows.address(),
    )
    rows = rows_of(page.rows, scope.list, filters.columns)
    return GuestList(page, rows, None if scope.list == APPROVALS or _residual(filters) else found)


def shown(guests: QuerySet[Attendee], name: str, chosen: Sequence[str], order: Sequence[str]) -> QuerySet[Attendee]:
    """With what a row of the list says, and no more: half of a list's query is making fields nobody looks at."""
    fields = {field for column in columns.shown(chosen, name) for field in column.fields}
    fields |= {*FIELDS, *(key.removeprefix("-") for key in order)}
    return (guests.select_related("event") if "event__name" in fields else guests).only(*fields)


def how_many(guests: GuestList, filters: Filters, tabs: Sequence[Counted]) -> int | None:
    """How many the list has on all its pages, where that is known without counting them."""
    if filters.q:
        return guests.found
    by_tab_only = replace(filters.rows, status="", classes=(), sort="").plain and filters.sort != "checked_in"
    return next((tab.count for tab in tabs if tab.current), None) if by_tab_only else None


def matching_ids(scope: Scope, filters: Filters) -> list[UUID]:
    """Everybody whom the list with these filters shows, on whatever page."""
    guests, _found = matching(scope, filters)
    return list(guests.order_by().values_list("pk", flat=True))


def chosen_ids(organization: Organization, ids: Sequence[UUID]) -> list[UUID]:
    """Those of them that are this organization's."""
    mine = Attendee.objects.filter(organization=organization, connection__live=True, pk__in=ids)
    return list(mine.order_by().values_list("pk", flat=True))


def tabs(scope: Scope, filters: Filters) -> Sequence[Tab]:
    """Counts are kept beside the guests, by status and class, and never counted for a page."""
    events = [event.pk for event in scope.events]
    if filters.classes:
        counts: dict[str, int] = dict(_by_status(events).filter(ticket_class__in=filters.classes))
    else:
        counts = dict(quick.worded(_by_status, events) if events else ())
    statuses = [*STATUSES, *sorted(counts.keys() - set(STATUSES))]
    everybody = Tab("", sum(counts.values()), filters.address(status=""), not filters.status)
    return [
        everybody,
        *(Tab(one, counts.get(one, 0), filters.address(status=one), filters.status == one) for one in statuses),
    ]


def _by_status(events: Sequence[UUID]) -> QuerySet[StatusCount, Any]:
    kept = StatusCount.objects.filter(event__in=events).values_list("status")
    return kept.annotate(sum=Sum("count")).order_by().filter(sum__gt=0)


def classes(event: Event) -> Sequence[TicketClass]:
    return list(event.ticket_classes.filter(gone_at=None).order_by("listed_at", "id").only("id", "name", "event_id"))


def classes_to_give(event: Event) -> QuerySet[TicketClass]:
    """Those of which somebody can be given a ticket."""
    known = event.ticket_classes.filter(gone_at=None, remote_id__isnull=False).exclude(status="deleted")
    return known.defer("payload").order_by("listed_at", "id")


def holding(event: Event, email: str, besides: Attendee | None = None) -> Sequence[Attendee]:
    """Who has a ticket of this event, or waits for one, with this address."""
    same = Attendee.objects.filter(search.matching(email), event=event, email__iexact=email, gone_at=None)
    held = same.filter(status__in=("valid", "checked_in", "pending_approval"))
    if besides:
        held = held.exclude(pk=besides.pk)
    return list(held.defer("payload", "search").order_by("id")[:3])


def guest(organization: Organization, guest_id: UUID) -> Attendee | None:
    mine = Attendee.objects.filter(organization=organization, connection__live=True)
    return mine.select_related("event", "ticket_class").filter(pk=guest_id).first()


def examples(organization: Organization, ids: Sequence[UUID]) -> Sequence[Attendee]:
    """Three of these, or of whoever registered last."""
    mine = Attendee.objects.filter(organization=organization, connection__live=True, gone_at=None)
    mine = mine.filter(pk__in=ids) if ids else mine.exclude(status="deleted")
    return list(mine.select_related("event").defer("payload", "search").order_by("-registered_at", "-id")[:EXAMPLES])


@dataclass(frozen=True)
class Card:
    """What helps to decide: room in the guest's class, and what the same e-mail did at other events."""

    total: int
    left: int
    other_events: int
    came_to: int


def card(guest: Attendee) -> Card:
    kind = guest.ticket_class
    total, sold = (kind.quantity_total, kind.quantity_sold) if kind else (0, 0)
    mine = Attendee.objects.filter(organization=guest.organization_id, connection=guest.connection_id)
    same = mine.filter(search.matching(guest.email), email__iexact=guest.email).exclude(event=guest.event_id)
    seen = list(same.values_list("event_id", "status")[:100]) if guest.email else []
    return Card(
        total=total,
        left=max(total - sold, 0),
        other_events=len({event for event, _status in seen}),
        came_to=len({event for event, status in seen if status == "checked_in"}),
    )


def other_tickets(guest: Attendee) -> Sequence[Attendee]:
    """Further tickets of the same e-mail at the same event: two who share an address share this list."""
    if not guest.email:
        return []
    same = search.matching(guest.email) & Q(event=guest.event_id, email__iexact=guest.email)
    return list(Attendee.objects.filter(same).exclude(pk=guest.pk).defer("payload", "search").order_by("id")[:10])


def _filtered(guests: QuerySet[Attendee], filters: Filters) -> QuerySet[Attendee]:
    if filters.status:
        guests = guests.filter(status=filters.status)
    if filters.event:
        guests = guests.filter(event=filters.event)
    if filters.classes:
        guests = guests.filter(ticket_class__in=filters.classes)
    if filters.since:
        guests = guests.filter(registered_at__gte=_midnight(filters.since))
    if filters.until:
        guests = guests.filter(registered_at__lt=_midnight(filters.until + timedelta(days=1)))
    if filters.sort == "checked_in":
        guests = guests.filter(checked_in_at__isnull=False)
    if filters.odd:
        return guests.filter(needs_attention=True)
    return guests.filter(gone_at=None)


def _midnight(day: object) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))  # type: ignore[arg-type]


def _residual(filters: Filters) -> bool:
    """Whether the number of matches is more than those that the list shows."""
    return bool(filters.status or filters.classes or filters.since or filters.until or filters.odd or filters.sort)
