from dataclasses import dataclass
from typing import Any

from organizer.upstream import envelope
from organizer.upstream.errors import Broken
from organizer.upstream.transport import File, Transport, path
from organizer.upstream.wire import NoId, Row


@dataclass(frozen=True)
class Ticket:
    id: str
    type: str
    row: str
    seat: str
    value: str
    download_url: str


@dataclass(frozen=True)
class Fulfilment:
    status: str
    tickets: tuple[Ticket, ...]
    payload: dict[str, Any]
    doubts: tuple[str, ...]


class Fulfilments:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, order_id: str) -> Fulfilment:
        # GET /orders/{orderId}/fulfilment
        return envelope.one(self._transport.request("GET", path("orders", order_id, "fulfilment"), scope=""), read)

    def file(self, order_id: str, ticket_id: str) -> File:
        """Up to 10 MB. A ticket's `download_url` is never followed: it may lead anywhere."""
        # GET /orders/{orderId}/tickets/{ticketId}/file
        return self._transport.file(path("orders", order_id, "tickets", ticket_id, "file"), scope="")


def read(raw: Any) -> Fulfilment:
    row = Row(raw)
    if not isinstance(row.payload.get("tickets", []), list | None):
        raise Broken("It answered with tickets that are no list.")
    tickets, nameless = [], []
    for part in row.parts("tickets"):
        try:
            tickets.append(_ticket(part))
        except NoId as problem:  # nobody could ask for its file
            nameless.append(f"tickets held {problem}")
    return Fulfilment(
        status=row.required_word("status"),
        tickets=tuple(tickets),
        payload=row.payload,
        doubts=(*row.doubts, *dict.fromkeys(nameless)),
    )


def _ticket(row: Row) -> Ticket:
    return Ticket(
        id=row.id(),
        type=row.word("type"),
        row=row.text("row"),
        seat=row.text("seat"),
        value=row.text("value"),
        download_url=row.text("download_url"),
    )
