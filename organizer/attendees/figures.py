"""How many are where, of kept counts alone: nothing here looks at a guest, however many there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, F, Q, QuerySet, Sum, When

from organizer.attendees.models import StatusCount
from organizer.events.models import Event
from organizer.kit import quick


@dataclass(frozen=True)
class Figures:
    """`arrivals` are the five minutes in which somebody came, of the stretch that was asked for."""

    by_status: dict[str, int] = field(default_factory=dict)
    arrivals: dict[datetime, int] = field(default_factory=dict)

    @property
    def going(self) -> int:
        return self._number("valid")

    @property
    def inside(self) -> int:
        return self._number("checked_in")

    @property
    def pending(self) -> int:
        return self._number("pending_approval")

    @property
    def expected(self) -> int:
        """Everybody with a ticket, whether inside yet or not."""
        return self.going + self.inside

    def _number(self, status: str) -> int:
        return max(0, self.by_status.get(status, 0))


@dataclass(frozen=True)
class OfClass:
    inside: int
    expected: int


@dataclass(frozen=True)
class OfDoor:
    inside: int
    lately: int


def of(events: Sequence[Event], since: datetime, until: datetime) -> Mapping[Any, Figures]:
    """All statuses, and the arrivals between `since` and `until`: an event may last for months."""
    found: dict[Any, Figures] = {event.pk: Figures() for event in events}
    for event_id, status, slot, count in quick.worded(_kept, list(found), since, until) if found else ():
        figures = found[event_id]
        figures.by_status[status] = figures.by_status.get(status, 0) + count
        if slot and count > 0:
            figures.arrivals[slot] = count
    return found


def _kept(events: Sequence[UUID], since: datetime, until: datetime) -> QuerySet[StatusCount, Any]:
    then = Case(When(slot__gte=since, slot__lt=until, then=F("slot")), default=None)
    kept = StatusCount.objects.filter(event__in=events).annotate(then=then).values_list("event_id", "status", "then")
    return kept.annotate(sum=Sum("count")).order_by()


def by_class(event: Event) -> Mapping[Any, OfClass]:
    """By the key of the class; None for guests of whom no class is known."""
    found: dict[Any, dict[str, int]] = {}
    for ticket_class, status, count in quick.worded(_kept_by_class, event.pk):
        found.setdefault(ticket_class, {})[status] = count
    return {
        ticket_class: OfClass(counts.get("checked_in", 0), sum(counts.values()))
        for ticket_class, counts in found.items()
    }


def by_door(event: Event, since: datetime) -> Mapping[str, OfDoor]:
    """Who is in by the door that let them in; "" for those whom nobody here did. `lately` came after `since`."""
    kept = StatusCount.objects.filter(event=event, status="checked_in").values_list("door")
    sums = kept.annotate(inside=Sum("count"), lately=Sum("count", filter=Q(slot__gte=since), default=0))
    return {door: OfDoor(inside, max(0, lately)) for door, inside, lately in sums.order_by() if inside > 0}


def _kept_by_class(event_id: UUID) -> QuerySet[StatusCount, Any]:
    kept = StatusCount.objects.filter(event=event_id, status__in=("valid", "checked_in"))
    return kept.values_list("ticket_class_id", "status").annotate(sum=Sum("count")).order_by().filter(sum__gt=0)
