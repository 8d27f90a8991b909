"""Guest lists on their way out: as a file with exactly what the list shows, and on paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.attendees import columns
from organizer.attendees.columns import APPROVALS, Column
from organizer.attendees.filters import Filters
from organizer.attendees.models import Attendee
from organizer.attendees.queries import Scope, matching
from organizer.events.models import Event
from organizer.kit import days
from organizer.kit.exports import Cell, Sheet
from organizer.kit.paging import every_row

ADMITTED = ("valid", "checked_in")
"""Whom a list on paper shows unless it is asked for one status: who may come in."""
MOST_ON_PAPER = 5_000
LONGEST_NAME = 80
"""Of an event, where the day comes after it."""


def of_list(scope: Scope, filters: Filters, *, by: User) -> Sheet:
    guests, _found = matching(scope, filters)
    about = scope.event or scope.organization
    shows = columns.shown(filters.columns, scope.list)
    what = _("approvals") if scope.list == APPROVALS else _("guests")
    return _sheet(guests, filters.order, shows, scope.organization, about, what, by)


def _sheet(
    guests: QuerySet[Attendee], order: Sequence[str], shows: Sequence[Column],
    organization: Organization, about: Event | Organization, what: str, by: User,
) -> Sheet:  # fmt: skip
    """Noted before the first row leaves: a download that breaks off has been one."""
    zone = timezone.get_current_timezone()
    audit.record(
        "guests.exported", target=about, organization=organization, by=by,
        after={"list": what, "guests": guests.count(), "columns": [column.key for column in shows]},
    )  # fmt: skip
    head = [f"{column.label} ({days.zone_name(zone)})" if column.timed else str(column.label) for column in shows]
    day = timezone.localdate().isoformat()
    return Sheet(
        f"{str(about)[:LONGEST_NAME]} {what} {day}", head, _rows(_read(guests, order, shows), order, shows), zone
    )


def _read(guests: QuerySet[Attendee], order: Sequence[str], shows: Sequence[Column]) -> QuerySet[Attendee]:
    """Only what is shown, and what the next slice begins after."""
    fields = {field for column in shows for field in column.fields} | {name.removeprefix("-") for name in order}
    joined = [field.partition("__")[0] for field in fields if "__" in field]
    return (guests.select_related(*joined) if joined else guests).only(*fields, *(f"{name}_id" for name in joined))


def _rows(guests: QuerySet[Attendee], order: Sequence[str], shows: Sequence[Column]) -> Iterator[Sequence[Cell]]:
    for guest in every_row(guests, order=order):
        yield [column.of(guest) for column in shows]


class Line(NamedTuple):
    """A guest on paper."""

    name: str
    company: str
    ticket_class_name: str
    barcode: str
    status: str


@dataclass(frozen=True)
class Paper:
    """It lies about for a while: its times are whole."""

    event: Event
    guests: Sequence[Line]
    status: str
    whole: bool
    """False where the list goes on after what a person would print."""

    @property
    def when(self) -> str:
        starts = self.event.starts_at
        return days.exact(starts, days.zone_named(self.event.timezone)) if starts else ""


def paper(event: Event, filters: Filters) -> Paper:
    """By name, whatever the order on the screen is: somebody stands there and says theirs."""
    filters = replace(filters, sort="name")
    guests, _found = matching(Scope(event.organization, event), filters)
    if not filters.status:
        guests = guests.filter(status__in=ADMITTED)
    lines = guests.order_by(*filters.order).values_list(*Line._fields)[: MOST_ON_PAPER + 1]
    found = [Line(*values) for values in lines]
    status = str(columns.STATUSES.get(filters.status, filters.status))
    return Paper(event, found[:MOST_ON_PAPER], status, whole=len(found) <= MOST_ON_PAPER)
