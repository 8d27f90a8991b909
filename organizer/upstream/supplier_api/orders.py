from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from organizer.upstream import envelope
from organizer.upstream.errors import Broken, NotFound
from organizer.upstream.transport import Transport, path
from organizer.upstream.wire import Row

_ASCII = "".join(map(chr, range(0x20, 0x7F)))


@dataclass(frozen=True)
class OrderItem:
    id: str
    listing_id: str
    quantity: int
    section: str
    row: str
    seats: tuple[str, ...]


@dataclass(frozen=True)
class Order:
    id: str
    reference: str
    status: str
    currency: str
    total: Decimal
    items: tuple[OrderItem, ...]
    rejection_reason: str
    created_at: datetime | None
    updated_at: datetime | None
    payload: dict[str, Any]
    doubts: tuple[str, ...]


class Orders:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def find(self, reference: str) -> tuple[Order, ...]:
        """None, one, or more where the supplier does not keep to the contract. Unknown to it is not cancelled."""
        # GET /orders?reference=
        query = {"reference": reference}
        try:
            answer = self._transport.request("GET", "/orders", scope="", query=query)
        except NotFound:
            return ()
        found = envelope.many(answer, read, 1, about="meta", total="count")
        if found.doubts:
            raise Broken(f"It answered with {found.doubts[0]}.", answer.status)
        return found.items

    def get(self, order_id: str) -> Order:
        # GET /orders/{orderId}
        return envelope.one(self._transport.request("GET", path("orders", order_id), scope=""), read)

    def place(self, body: dict[str, Any] | bytes, *, idempotency_key: str) -> Order:
        """The key is the order's reference; a header knows ASCII alone, so the rest of it is percent-encoded."""
        # POST /orders
        key = header(idempotency_key)
        answer = self._transport.request("POST", "/orders", scope="", body=body, idempotency_key=key)
        return envelope.one(answer, read)


def header(reference: str) -> str:
    """As an Idempotency-Key."""
    return quote(reference, safe=_ASCII)


def read(raw: Any) -> Order:
    row = Row(raw)
    return Order(
        id=row.id(),
        reference=row.required_text("reference"),
        status=row.required_word("status"),
        currency=row.word("currency"),
        total=row.money("total"),
        items=tuple(_item(part) for part in row.parts("items")),
        rejection_reason=row.text("rejection_reason"),
        created_at=row.moment("created_at"),
        updated_at=row.moment("updated_at"),
        payload=row.payload,
        doubts=row.doubts,
    )


def _item(row: Row) -> OrderItem:
    return OrderItem(
        id=row.reference("id"),
        listing_id=row.reference("listing_id"),
        quantity=row.whole("quantity"),
        section=row.text("section"),
        row=row.text("row"),
        seats=row.texts("seats"),
    )
