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
from organizer.attendees.filters import Filters
from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.queries import Scope
from organizer.events.models import Event
from organizer.kit import frame, quick

PENDING = "pending_approval"
MOST_EVENTS = 12


class Waiting(Scope):
    """Who waits, at all events or one; in the order of the list over all events."""

    @property
    def list(self) -> str:
        return APPROVALS

    @property
    def guests(self) -> QuerySet[Attendee]:
        return pending(self.organization, self.event)


@dataclass(frozen=True)
class EventTab:
    """Without an event it is that of all."""

    event_id: Any
    name: str
    count: int
    address: str
    current: bool


@dataclass(frozen=True)
class Glance:
    waiting: int
    any_work: bool


def glance(organization: Organization) -> Glance:
    """For the frame of every page, so it is one query, and worded once."""
    [(waiting, any_work, *others)] = quick.worded(_glance, organization.pk, history.shown_since())
    for number, found in zip(frame.numbers(), others, strict=True):
        number.note(organization, found)
    return Glance(waiting or 0, any_work)


def _glance(organization_id: UUID, since: datetime) -> QuerySet[Organization]:
    waits = _counts(organization_id).values("status").annotate(sum=Sum("count")).values("sum")
    work = Exists(history.shown(organization_id, since))
    others = [number.expression() for number in frame.numbers()]
    return Organization.objects.filter(pk=organization_id).values_list(Subquery(waits), work, *others)


def tabs(organization: Organization, event: Event | None, filters: Filters) -> Sequence[EventTab]:
    """How many wait in all, and at which events; the one that is looked at is always among them.

    Classes are an event's own, so they stay behind.
    """
    kept = _counts(organization.pk).values_list("event_id", "event__name", "event__sort_start")
    waiting = kept.annotate(sum=Sum("count")).filter(sum__gt=0).order_by("event__sort_start", "event_id")
    rows = [(event_id, name, number) for event_id, name, _start, number in waiting]
    mine = event.pk if event else None
    shown = [row for index, row in enumerate(rows) if index < MOST_EVENTS or row[0] == mine]
    if event and mine not in {row[0] for row in shown}:
        shown.append((event.pk, event.name, 0))
    every = (None, "", sum(row[2] for row in rows))
    return [
        EventTab(*row, filters.opening(event=row[0], classes=()), current=row[0] == mine) for row in (every, *shown)
    ]


def pending(organization: Organization, event: Event | None) -> QuerySet[Attendee]:
    mine = Attendee.objects.filter(organization=organization, connection__live=True, gone_at=None)
    mine = mine.filter(event=event) if event else mine.filter(event__gone_at=None)
    return mine.filter(status=PENDING)


def _counts(organization_id: UUID) -> QuerySet[StatusCount]:
    shown = Q(event__organization=organization_id, event__connection__live=True, event__gone_at=None)
    return StatusCount.objects.filter(shown, status=PENDING).order_by()
