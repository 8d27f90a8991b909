"""What `sync` needs to know to mirror the guests of an event, and their counts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet

from organizer.attendees import rules
from organizer.attendees.models import Attendee, StatusCount
from organizer.connections.models import Connection
from organizer.events.mirror import event_id, wanted_by_event
from organizer.events.models import TicketClass
from organizer.sync.registry import Item, Noun, Page, Wanted
from organizer.sync.rules import PAGE_SIZE, Json, text
from organizer.upstream.event_api import EventApi


class AttendeeNoun(Noun):
    name = "attendees"
    model = Attendee
    needs = "attendees:read"
    statuses = (
        "valid,checked_in,pending_approval,invited,rejected,deleted",
        "valid,checked_in,pending_approval,invited",
        "valid,checked_in,pending_approval",
        "valid,checked_in",
    )

    def page(self, api: EventApi, scope: str, number: int, status: str | None) -> Page:
        return api.attendees.page(scope, number, size=PAGE_SIZE, status=status or self.statuses[0])

    def read(self, api: EventApi, scope: str, remote_id: str) -> Item:
        return api.attendees.get(scope, remote_id)

    def rows(self, connection: Connection, scope: str) -> QuerySet[Attendee]:
        return Attendee.objects.filter(event__connection=connection, event__remote_id=scope)

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A deleted one may be left out of the list and answer by its id for ever."""
        return rows.exclude(status="deleted")

    def effective(self, payload: Json, commands: Iterable[Json] = ()) -> rules.AttendeeColumns:
        return rules.effective(payload, commands)

    def links(self, connection: Connection, scope: str, items: Collection[Item]) -> Callable[[Json], dict[str, Any]]:
        event = event_id(connection, scope)
        wanted = {text(item.payload.get("ticket_class_id")) for item in items}
        classes = dict(
            TicketClass.objects.filter(connection=connection, remote_id__in=wanted).values_list("remote_id", "pk")
        )
        return lambda payload: {
            "event_id": event,
            "ticket_class_id": classes.get(text(payload.get("ticket_class_id"))),
        }

    def wanted(self, connection: Connection, now: datetime) -> Iterable[Wanted]:
        return wanted_by_event(connection, now)

    def tally(self, row: Attendee) -> tuple[Any, ...] | None:
        return (row.event_id, row.status) if row.gone_at is None else None

    def count(self, deltas: Counter[tuple[Any, ...]]) -> None:
        """`StatusCount` moves with the rows; one that is new is made at zero first."""
        if not deltas:
            return
        StatusCount.objects.bulk_create(
            [StatusCount(event_id=event, status=status) for event, status in deltas], ignore_conflicts=True
        )
        for (event, status), delta in sorted(deltas.items(), key=str):
            StatusCount.objects.filter(event_id=event, status=status).update(count=F("count") + delta)
