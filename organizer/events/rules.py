"""What an event's or a ticket class's payload means: the columns we filter, sort and search on."""

import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from organizer.kit.text import SORT_LENGTH, fold
from organizer.sync.rules import NO_BREAK, Json, flag, lay_over, moment, money, part, text, whole

FAR_FUTURE = datetime(9999, 1, 1, tzinfo=UTC)
"""Where an event without a start sorts: after all that have one."""
STATUS_LENGTH = 60
LIST_EVERY = timedelta(minutes=1)
LIVE_AROUND = timedelta(hours=2)
LENGTH_WITHOUT_END = timedelta(hours=12)


@dataclass(frozen=True)
class EventColumns:
    name: str
    sort_name: str
    status: str
    starts_at: datetime | None
    ends_at: datetime | None
    sort_start: datetime
    timezone: str
    location_type: str
    place: str
    url: str
    currency: str
    capacity: int
    tickets_sold: int
    registration_status: str
    hidden: bool
    require_approval: bool
    search: str


def effective(payload: Json, commands: Iterable[Json] = ()) -> EventColumns:
    event = lay_over(payload, commands)
    name = text(event.get("name")) or "Untitled event"
    start, end = part(event.get("start")), part(event.get("end"))
    starts_at = moment(start.get("utc"))
    place = _place(event)
    return EventColumns(
        name=name,
        sort_name=fold(name)[:SORT_LENGTH],
        status=text(event.get("status"), STATUS_LENGTH),
        starts_at=starts_at,
        ends_at=moment(end.get("utc")),
        sort_start=starts_at or FAR_FUTURE,
        timezone=_zone(start.get("timezone")),
        location_type=text(event.get("location_type")),
        place=place,
        url=text(event.get("url")),
        currency=text(event.get("currency")).upper(),
        capacity=whole(event.get("capacity")),
        tickets_sold=whole(event.get("tickets_sold")),
        registration_status=text(event.get("registration_status")),
        hidden=flag(event.get("hidden")),
        require_approval=flag(event.get("require_approval")),
        search=f" {fold(name)}\n{fold(place).replace(' ', NO_BREAK)}",
    )


def _place(event: Json) -> str:
    venue = part(event.get("venue"))
    parts = [text(venue.get("name")), text(venue.get("city"))]
    return ", ".join(filter(None, parts)) or text(venue.get("address")) or text(event.get("video_link"))


def _zone(value: Any) -> str:
    name = text(value)
    try:
        return zoneinfo.ZoneInfo(name).key if name else "UTC"
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"


@dataclass(frozen=True)
class TicketClassColumns:
    name: str
    status: str
    kind: str
    currency: str
    cost: Decimal
    free: bool
    quantity_total: int
    quantity_sold: int
    sales_start: datetime | None
    sales_end: datetime | None
    require_approval: bool
    hidden: bool
    listed_at: datetime


def effective_class(payload: Json, commands: Iterable[Json] = ()) -> TicketClassColumns:
    ticket = lay_over(payload, commands)
    cost = money(ticket.get("cost", ticket.get("price")))
    free = ticket.get("free")
    return TicketClassColumns(
        name=text(ticket.get("name")) or "Unnamed ticket",
        status=text(ticket.get("status"), STATUS_LENGTH) or "active",
        kind=text(ticket.get("kind")) or "fixed",
        currency=text(ticket.get("currency")).upper(),
        cost=cost,
        free=free if isinstance(free, bool) else cost == 0,
        quantity_total=whole(ticket.get("quantity_total")),
        quantity_sold=whole(ticket.get("quantity_sold")),
        sales_start=moment(ticket.get("sales_start")),
        sales_end=moment(ticket.get("sales_end")),
        require_approval=flag(ticket.get("require_approval")),
        hidden=flag(ticket.get("hide_on_event_page")),
        listed_at=moment(ticket.get("created_at")) or FAR_FUTURE,
    )


@dataclass(frozen=True)
class Rhythm:
    """How often what hangs on an event is read, and how far from now it is (the nearest goes first)."""

    every: timedelta
    distance: timedelta


def rhythm(*, starts_at: datetime | None, ends_at: datetime | None, now: datetime) -> Rhythm:
    """A live event each minute, an upcoming one each five, a past one once a day (and when somebody opens it)."""
    if starts_at is None:
        return Rhythm(timedelta(minutes=5), timedelta(days=365))
    end = ends_at if ends_at and ends_at > starts_at else starts_at + LENGTH_WITHOUT_END
    if now < starts_at - LIVE_AROUND:
        return Rhythm(timedelta(minutes=5), starts_at - now)
    if now <= end + LIVE_AROUND:
        return Rhythm(timedelta(minutes=1), timedelta(0))
    return Rhythm(timedelta(days=1), now - end)
