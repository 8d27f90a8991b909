from dataclasses import dataclass
from datetime import datetime
from typing import Any

from organizer.upstream.event_api import envelope
from organizer.upstream.transport import Transport, path
from organizer.upstream.wire import Page, Row

READ, WRITE = "events:read", "events:write"


@dataclass(frozen=True)
class Venue:
    name: str
    address: str
    city: str
    state: str
    country: str
    latitude: float | None
    longitude: float | None


@dataclass(frozen=True)
class Event:
    id: str
    name: str
    description: str
    status: str
    registration_status: str
    url: str
    currency: str
    capacity: int
    tickets_sold: int
    start: datetime | None
    end: datetime | None
    timezone: str
    venue: Venue | None
    location_type: str
    video_link: str
    cover_image: str
    hidden: bool
    require_approval: bool
    created_at: datetime | None
    updated_at: datetime | None
    payload: dict[str, Any]
    doubts: tuple[str, ...]


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def page(self, number: int, size: int = 200, status: str | None = None) -> Page[Event]:
        # GET /events
        query = {"page": number, "page_size": size} | ({"status": status} if status else {})
        return envelope.many(self._transport.request("GET", "/events", scope=READ, query=query), read, number)

    def get(self, event_id: str) -> Event:
        # GET /events/{eventId}
        return envelope.one(self._transport.request("GET", path("events", event_id), scope=READ), read)

    def create(self, body: dict[str, Any] | bytes, *, idempotency_key: str) -> Event:
        # POST /events
        answer = self._transport.request("POST", "/events", scope=WRITE, body=body, idempotency_key=idempotency_key)
        return envelope.one(answer, read)

    def update(self, event_id: str, body: dict[str, Any] | bytes, *, idempotency_key: str) -> Event:
        # PATCH /events/{eventId}
        place = path("events", event_id)
        answer = self._transport.request("PATCH", place, scope=WRITE, body=body, idempotency_key=idempotency_key)
        return envelope.one(answer, read)

    def delete(self, event_id: str, *, idempotency_key: str) -> None:
        # DELETE /events/{eventId}
        place = path("events", event_id)
        envelope.deleted(self._transport.request("DELETE", place, scope=WRITE, idempotency_key=idempotency_key))


def read(raw: Any) -> Event:
    row = Row(raw)
    start, end, venue = row.part("start"), row.part("end"), row.part("venue")
    return Event(
        id=row.id(),
        name=row.required_text("name"),
        description=row.text("description"),
        status=row.required_word("status"),
        registration_status=row.word("registration_status"),
        url=row.text("url"),
        currency=row.word("currency"),
        capacity=row.whole("capacity"),
        tickets_sold=row.whole("tickets_sold"),
        start=start.moment("utc") if start else None,
        end=end.moment("utc") if end else None,
        timezone=start.text("timezone", "UTC") if start else "UTC",
        venue=_venue(venue) if venue else None,
        location_type=row.word("location_type"),
        video_link=row.text("video_link"),
        cover_image=row.text("cover_image"),
        hidden=row.flag("hidden"),
        require_approval=row.flag("require_approval"),
        created_at=row.moment("created_at"),
        updated_at=row.moment("updated_at"),
        payload=row.payload,
        doubts=row.doubts,
    )


def _venue(row: Row) -> Venue:
    return Venue(
        name=row.text("name"),
        address=row.text("address"),
        city=row.text("city"),
        state=row.text("state"),
        country=row.text("country"),
        latitude=row.number("latitude"),
        longitude=row.number("longitude"),
    )
