"""What can be written about events and ticket classes: each kind words its request, and says what the row will be."""

from datetime import datetime
from typing import Any, ClassVar

from organizer.events import overlays
from organizer.events.models import Event, TicketClass
from organizer.sync.registry import Item, Kind, Request
from organizer.sync.rules import Json
from organizer.upstream.event_api import EventApi, envelope, events, ticket_classes
from organizer.upstream.transport import Answer, path


class EventKind(Kind):
    """`params` is the body as it is sent."""

    noun = "events"
    scope = events.WRITE

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return overlays.event(params)

    def request(self, row: Event, params: Json) -> Request:
        # PATCH /events/{eventId}
        return Request("PATCH", path("events", row.remote_id or ""), dict(params))

    def item(self, answer: Answer) -> Item | None:
        return envelope.one(answer, events.read)

    def read(self, api: EventApi, row: Event) -> Item:
        return api.events.get(row.remote_id or "")

    def list_of(self, row: Event) -> str:
        return ""

    def is_reached(self, payload: Json, fields: Json) -> bool:
        return all(payload.get(name) == value for name, value in fields.items())


class CreateEvent(EventKind):
    name, words, makes = "events.create", "creating", True

    def title(self, params: Json) -> str:
        return str(params.get("name", ""))

    def request(self, row: Event, params: Json) -> Request:
        # POST /events
        return Request("POST", "/events", dict(params))


class EditEvent(EventKind):
    name, words = "events.edit", "saving"


class MoveEvent(EventKind):
    """To another status, which is all of its body."""

    status: ClassVar[str]

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {"status": self.status}

    def request(self, row: Event, params: Json) -> Request:
        return super().request(row, {"status": self.status})


class PublishEvent(MoveEvent):
    name, words, status = "events.publish", "publishing", "active"


class CancelEvent(MoveEvent):
    name, words, status = "events.cancel", "cancelling", "cancelled"


class DeleteEvent(MoveEvent):
    name, words, status = "events.delete", "deleting", "deleted"

    def request(self, row: Event, params: Json) -> Request:
        # DELETE /events/{eventId}
        return Request("DELETE", path("events", row.remote_id or ""))

    def item(self, answer: Answer) -> Item | None:
        envelope.deleted(answer)
        return None


class ClassKind(Kind):
    """`params` is the body as it is sent, but for what begins with an underscore."""

    noun = "ticket_classes"
    scope = ticket_classes.WRITE

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return overlays.body(params)

    def request(self, row: TicketClass, params: Json) -> Request:
        # PATCH /events/{eventId}/ticket-classes/{ticketClassId}
        place = path("events", row.event.remote_id or "", "ticket-classes", row.remote_id or "")
        return Request("PATCH", place, overlays.body(params))

    def item(self, answer: Answer) -> Item | None:
        return envelope.one(answer, ticket_classes.read)

    def read(self, api: EventApi, row: TicketClass) -> Item:
        return api.ticket_classes.get(row.event.remote_id or "", row.remote_id or "")

    def list_of(self, row: TicketClass) -> str:
        return row.event.remote_id or ""

    def is_reached(self, payload: Json, fields: Json) -> bool:
        return all(payload.get(name) == value for name, value in fields.items())


class CreateClass(ClassKind):
    name, words, makes = "ticket_classes.create", "creating", True

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {"status": "active", "created_at": now.isoformat()} | overlays.body(params)

    def title(self, params: Json) -> str:
        return str(params.get("name", ""))

    def parent(self, row: TicketClass) -> tuple[str, Any] | None:
        return None if row.event.remote_id else ("events", row.event_id)

    def made_already(self, api: EventApi, row: TicketClass, params: Json) -> str:
        """An event comes with a first ticket class: of a copied event's classes the first takes its place."""
        if not params.get(overlays.FIRST):
            return ""
        known = api.ticket_classes.page(row.event.remote_id or "", 1).items
        return next((one.id for one in known if one.status == "active"), "")

    def request(self, row: TicketClass, params: Json) -> Request:
        if row.remote_id:
            return super().request(row, params)
        # POST /events/{eventId}/ticket-classes
        return Request("POST", path("events", row.event.remote_id or "", "ticket-classes"), overlays.body(params))


class EditClass(ClassKind):
    name, words = "ticket_classes.edit", "saving"


class DeleteClass(ClassKind):
    name, words = "ticket_classes.delete", "deleting"

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {"status": "deleted"}

    def request(self, row: TicketClass, params: Json) -> Request:
        # DELETE /events/{eventId}/ticket-classes/{ticketClassId}
        return Request("DELETE", super().request(row, params).path)

    def item(self, answer: Answer) -> Item | None:
        envelope.deleted(answer)
        return None


KINDS = (
    CreateEvent(), EditEvent(), PublishEvent(), CancelEvent(), DeleteEvent(), CreateClass(), EditClass(), DeleteClass(),
)  # fmt: skip
