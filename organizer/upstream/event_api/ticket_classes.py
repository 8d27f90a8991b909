from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from organizer.upstream.event_api import envelope
from organizer.upstream.transport import Transport, path
from organizer.upstream.wire import Page, Row

READ, WRITE = "ticket_classes:read", "ticket_classes:write"


@dataclass(frozen=True)
class TicketClass:
    id: str
    event_id: str
    name: str
    description: str
    status: str
    kind: str
    currency: str
    cost: Decimal
    free: bool
    quantity_total: int
    quantity_sold: int
    sales_start: datetime | None
    sales_end: datetime | None
    minimum_per_order: int
    maximum_per_order: int
    require_approval: bool
    hide_on_event_page: bool
    created_at: datetime | None
    updated_at: datetime | None
    payload: dict[str, Any]
    doubts: tuple[str, ...]


class TicketClasses:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def page(self, event_id: str, number: int, size: int = 200) -> Page[TicketClass]:
        # GET /events/{eventId}/ticket-classes
        query = {"page": number, "page_size": size}
        answer = self._transport.request("GET", _place(event_id), scope=READ, query=query)
        return envelope.many(answer, read, number)

    def get(self, event_id: str, ticket_class_id: str) -> TicketClass:
        # GET /events/{eventId}/ticket-classes/{ticketClassId}
        return envelope.one(self._transport.request("GET", _place(event_id, ticket_class_id), scope=READ), read)

    def create(self, event_id: str, body: dict[str, Any] | bytes, *, idempotency_key: str) -> TicketClass:
        # POST /events/{eventId}/ticket-classes
        place = _place(event_id)
        answer = self._transport.request("POST", place, scope=WRITE, body=body, idempotency_key=idempotency_key)
        return envelope.one(answer, read)

    def update(
        self, event_id: str, ticket_class_id: str, body: dict[str, Any] | bytes, *, idempotency_key: str
    ) -> TicketClass:
        # PATCH /events/{eventId}/ticket-classes/{ticketClassId}
        place = _place(event_id, ticket_class_id)
        answer = self._transport.request("PATCH", place, scope=WRITE, body=body, idempotency_key=idempotency_key)
        return envelope.one(answer, read)

    def delete(self, event_id: str, ticket_class_id: str, *, idempotency_key: str) -> None:
        # DELETE /events/{eventId}/ticket-classes/{ticketClassId}
        place = _place(event_id, ticket_class_id)
        envelope.deleted(self._transport.request("DELETE", place, scope=WRITE, idempotency_key=idempotency_key))


def _place(event_id: str, *rest: str) -> str:
    return path("events", event_id, "ticket-classes", *rest)


def read(raw: Any) -> TicketClass:
    row = Row(raw)
    cost = row.money("cost" if row.payload.get("cost") is not None else "price")
    return TicketClass(
        id=row.id(),
        event_id=row.reference("event_id"),
        name=row.required_text("name"),
        description=row.text("description"),
        status=row.word("status", "active"),
        kind=row.word("kind", "fixed"),
        currency=row.word("currency"),
        cost=cost,
        free=row.flag("free", cost == 0),
        quantity_total=row.whole("quantity_total"),
        quantity_sold=row.whole("quantity_sold"),
        sales_start=row.moment("sales_start"),
        sales_end=row.moment("sales_end"),
        minimum_per_order=row.whole("minimum_per_order", 1),
        maximum_per_order=row.whole("maximum_per_order", 10),
        require_approval=row.flag("require_approval"),
        hide_on_event_page=row.flag("hide_on_event_page"),
        created_at=row.moment("created_at"),
        updated_at=row.moment("updated_at"),
        payload=row.payload,
        doubts=row.doubts,
    )
