from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from organizer.upstream import envelope
from organizer.upstream.transport import Transport
from organizer.upstream.wire import Page, Row


@dataclass(frozen=True)
class Listing:
    id: str
    event_name: str
    starts_at: datetime | None
    section: str
    price: Decimal
    currency: str
    available: int
    payload: dict[str, Any]
    doubts: tuple[str, ...]


class Listings:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def page(self, q: str, number: int) -> Page[Listing]:
        # GET /listings
        query = ({"q": q} if q else {}) | {"page": number}
        answer = self._transport.request("GET", "/listings", scope="", query=query)
        return envelope.many(answer, read, number, about="meta", total="count")


def read(raw: Any) -> Listing:
    row = Row(raw)
    return Listing(
        id=row.id(),
        event_name=row.required_text("event_name"),
        starts_at=row.moment("starts_at"),
        section=row.text("section"),
        price=row.money("price"),
        currency=row.word("currency"),
        available=row.whole("available"),
        payload=row.payload,
        doubts=row.doubts,
    )
