"""Who waits for an answer, over all events: the Approvals page, and its figure in the navigation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, Q, QuerySet, Subquery, Sum

from organizer.accounts.models import Organization
from organizer.attendees import history
from organizer.attendees.columns import APPROVALS
from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.queries import GuestList, shown
from organizer.attendees.rows import rows_of
from organizer.events.models import Event
from organizer.kit import quick
from organizer.kit.paging import keyset_page

PENDING = "pending_approval"
ORDER = ("-registered_at", "-id")
MOST_EVENTS = 12


@dataclass(frozen=True)
class EventTab:
    event_id: Any
    name: str
    count: int
    current: bool


@dataclass(frozen=True)
class Glance:
    waiting: int
    any_work: bool


def glance(organization: Organization) -> Glance:
    """For the frame of every page, so it is one query, and worded once."""
    [(waiting, any_work)] = quick.worded(_glance, organization.pk, history.shown_since())
    return Glance(waiting or 0, any_work)


def _glance(organization_id: UUID, since: datetime) -> QuerySet[Organization]:
    waits = _counts(organization_id).values("status").annotate(sum=Sum("count")).values("sum")
    work = Exists(history.shown(organization_id, since))
    return Organization.objects.filter(pk=organization_id).values_list(Subquery(waits), work)


def tabs(organization: Organization, event: Event | None) -> tuple[int, Sequence[EventTab]]:
    """How many wait in all, and at which events; the one that is looked at is always among them."""
    kept = _counts(organization.pk).values_list("event_id", "event__name", "event__sort_start")
    waiting = kept.annotate(sum=Sum("count")).filter(sum__gt=0).order_by("event__sort_start", "event_id")
    rows = [(event_id, name, number) for event_id, name, _start, number in waiting]
    mine = event.pk if event else None
    shown = [row for index, row in enumerate(rows) if index < MOST_EVENTS or row[0] == mine]
    if event and mine not in {row[0] for row in shown}:
        shown.append((event.pk, event.name, 0))
    return sum(row[2] for row in rows), [EventTab(*row, current=row[0] == mine) for row in shown]


def guests(organization: Organization, event: Event | None, cursor: str = "") -> GuestList:
    """Who registered last comes first."""
    page = keyset_page(
        shown(pending(organization, event), APPROVALS, (), ORDER),
        order=ORDER,
        cursor=cursor,
        filters=str(event.pk if event else ""),
    )
    return GuestList(page, rows_of(page.rows, APPROVALS), None)


def pending(organization: Organization, event: Event | None) -> QuerySet[Attendee]:
    mine = Attendee.objects.filter(organization=organization, connection__live=True, gone_at=None)
    mine = mine.filter(event=event) if event else mine.filter(event__gone_at=None)
    return mine.filter(status=PENDING)


def _counts(organization_id: UUID) -> QuerySet[StatusCount]:
    shown = Q(event__organization=organization_id, event__connection__live=True, event__gone_at=None)
    return StatusCount.objects.filter(shown, status=PENDING).order_by()
