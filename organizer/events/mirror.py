"""What `sync` needs to know to mirror events and ticket classes."""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from organizer.connections.models import Connection
from organizer.events import rules
from organizer.events.models import Event, TicketClass
from organizer.sync.registry import Item, Noun, Page, Wanted
from organizer.sync.rules import PAGE_SIZE, Json
from organizer.upstream.event_api import EventApi


class EventNoun(Noun):
    name = "events"
    model = Event
    shown_at = ("events:detail", "event_id")
    needs = "events:read"
    tells_keys_apart = True
    has_lists = True
    statuses = ("draft,active,cancelled,completed", None)

    def page(self, api: EventApi, scope: str, number: int, status: str | None) -> Page:
        return api.events.page(number, size=PAGE_SIZE, status=status)

    def read(self, api: EventApi, scope: str, remote_id: str) -> Item:
        return api.events.get(remote_id)

    def rows(self, connection: Connection, scope: str) -> QuerySet[Event]:
        return Event.objects.filter(connection=connection)

    def effective(self, payload: Json, commands: Iterable[Json] = ()) -> rules.EventColumns:
        return rules.effective(payload, commands)

    def wanted(self, connection: Connection, now: datetime) -> Iterable[Wanted]:
        return [Wanted("", rules.LIST_EVERY)]


class TicketClassNoun(Noun):
    name = "ticket_classes"
    model = TicketClass
    needs = "ticket_classes:read"

    def page(self, api: EventApi, scope: str, number: int, status: str | None) -> Page:
        return api.ticket_classes.page(scope, number, size=PAGE_SIZE)

    def read(self, api: EventApi, scope: str, remote_id: str) -> Item:
        return api.ticket_classes.get(scope, remote_id)

    def rows(self, connection: Connection, scope: str) -> QuerySet[TicketClass]:
        return TicketClass.objects.filter(connection=connection, event__remote_id=scope)

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A deleted one may be left out of the list and answer by its id for ever."""
        return rows.exclude(status="deleted")

    def effective(self, payload: Json, commands: Iterable[Json] = ()) -> rules.TicketClassColumns:
        return rules.effective_class(payload, commands)

    def links(self, connection: Connection, scope: str, items: Collection[Item]) -> Callable[[Json], dict[str, Any]]:
        event = {"event_id": event_id(connection, scope)}
        return lambda payload: event

    def wanted(self, connection: Connection, now: datetime) -> Iterable[Wanted]:
        return wanted_by_event(connection, now)


def event_id(connection: Connection, remote_id: str) -> Any:
    return Event.objects.values_list("pk", flat=True).get(connection=connection, remote_id=remote_id)


def wanted_by_event(connection: Connection, now: datetime) -> Iterator[Wanted]:
    """A list under each event, as often as the event's own time asks."""
    events = Event.objects.filter(connection=connection, remote_id__isnull=False, gone_at=None)
    for remote_id, starts_at, ends_at in events.exclude(status="deleted").values_list(
        "remote_id", "starts_at", "ends_at"
    ):
        rhythm = rules.rhythm(starts_at=starts_at, ends_at=ends_at, now=now)
        yield Wanted(str(remote_id), rhythm.every, rhythm.distance)
