from dataclasses import dataclass
from datetime import datetime
from typing import Any

from organizer.upstream.event_api import envelope
from organizer.upstream.transport import Transport, path
from organizer.upstream.wire import Page, Row

READ, WRITE = "attendees:read", "attendees:write"
EVERY_STATUS = "valid,checked_in,pending_approval,invited,rejected,deleted"


@dataclass(frozen=True)
class Upgrade:
    from_ticket_class_id: str
    to_ticket_class_id: str
    status: str


@dataclass(frozen=True)
class Attendee:
    id: str
    status: str
    event_id: str
    ticket_class_id: str
    ticket_class_name: str
    barcode: str
    first_name: str
    last_name: str
    email: str
    company: str
    checked_in_at: datetime | None
    payment_id: str
    contact_id: str
    upgrade: Upgrade | None
    created_at: datetime | None
    updated_at: datetime | None
    payload: dict[str, Any]
    doubts: tuple[str, ...]


class Attendees:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def page(self, event_id: str, number: int, size: int = 200, status: str = EVERY_STATUS) -> Page[Attendee]:
        # GET /events/{eventId}/attendees
        query = {"page": number, "page_size": size, "status": status}
        answer = self._transport.request("GET", place(event_id), scope=READ, query=query)
        return envelope.many(answer, read, number)

    def get(self, event_id: str, attendee_id: str) -> Attendee:
        # GET /events/{eventId}/attendees/{attendeeId}
        return envelope.one(self._transport.request("GET", place(event_id, attendee_id), scope=READ), read)

    def create(self, event_id: str, body: dict[str, Any] | bytes, *, idempotency_key: str) -> tuple[Attendee, ...]:
        # POST /events/{eventId}/attendees
        where = place(event_id)
        answer = self._transport.request("POST", where, scope=WRITE, body=body, idempotency_key=idempotency_key)
        return envelope.many(answer, read, 1).items

    def update(
        self, event_id: str, attendee_id: str, body: dict[str, Any] | bytes, *, idempotency_key: str
    ) -> Attendee:
        # PATCH /events/{eventId}/attendees/{attendeeId}
        where = place(event_id, attendee_id)
        answer = self._transport.request("PATCH", where, scope=WRITE, body=body, idempotency_key=idempotency_key)
        return envelope.one(answer, read)

    def delete(self, event_id: str, attendee_id: str, *, idempotency_key: str) -> None:
        # DELETE /events/{eventId}/attendees/{attendeeId}
        where = place(event_id, attendee_id)
        envelope.deleted(self._transport.request("DELETE", where, scope=WRITE, idempotency_key=idempotency_key))


def place(event_id: str, *rest: str) -> str:
    """Of the attendees of an event, or of one of them."""
    return path("events", event_id, "attendees", *rest)


def read(raw: Any) -> Attendee:
    row = Row(raw)
    upgrade = row.part("upgrade")
    return Attendee(
        id=row.id(),
        status=row.required_word("status"),
        event_id=row.reference("event_id"),
        ticket_class_id=row.reference("ticket_class_id"),
        ticket_class_name=row.text("ticket_class_name"),
        barcode=row.text("barcode"),
        first_name=row.text("first_name"),
        last_name=row.text("last_name"),
        email=row.text("email"),
        company=row.text("company"),
        checked_in_at=row.moment("checked_in_at"),
        payment_id=row.reference("payment_id"),
        contact_id=row.reference("contact_id"),
        upgrade=_upgrade(upgrade) if upgrade else None,
        created_at=row.moment("created_at"),
        updated_at=row.moment("updated_at"),
        payload=row.payload,
        doubts=row.doubts,
    )


def _upgrade(row: Row) -> Upgrade:
    return Upgrade(
        from_ticket_class_id=row.reference("from_ticket_class_id"),
        to_ticket_class_id=row.reference("to_ticket_class_id"),
        status=row.word("status"),
    )
