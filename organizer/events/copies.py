"""What an event and its ticket classes are told the API as, when they are made again for another day."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from organizer.events import times
from organizer.events.models import Event, TicketClass
from organizer.events.overlays import FIRST
from organizer.events.rules import LENGTH_WITHOUT_END
from organizer.sync.rules import part, text

_EVENT = ("description", "capacity", "require_approval", "hidden")
_CLASS = (
    "name", "description", "kind", "cost", "free", "quantity_total", "minimum_per_order", "maximum_per_order",
    "require_approval", "hide_on_event_page",
)  # fmt: skip


def days_between(event: Event, starts_on: date) -> int:
    start = times.local_time(event.starts_at, event.timezone) if event.starts_at else None
    return (starts_on - start.date()).days if start else 0


def event_body(event: Event, *, days: int) -> dict[str, Any]:
    """As `POST /events` takes it; a draft."""
    start = event.starts_at or datetime.now().astimezone()
    end = event.ends_at if event.ends_at and event.ends_at > start else start + LENGTH_WITHOUT_END
    zone = event.timezone
    told = {name: event.payload[name] for name in _EVENT if event.payload.get(name) not in (None, "")}
    return told | {
        "name": event.name,
        "start": times.when(times.moved(start, zone, days), zone),
        "end": times.when(times.moved(end, zone, days), zone),
        "location": _location(event),
        "currency": event.currency.lower() or "eur",
        "status": "draft",
    }


def venue(event: Event) -> dict[str, Any] | None:
    """What a location in one line does not say."""
    known = {name: value for name, value in part(event.payload.get("venue")).items() if value not in (None, "")}
    return known if known.keys() - {"address"} else None


def class_body(ticket: TicketClass, *, days: int) -> dict[str, Any]:
    told = {name: ticket.payload[name] for name in _CLASS if ticket.payload.get(name) not in (None, "")}
    for name, moment in (("sales_start", ticket.sales_start), ("sales_end", ticket.sales_end)):
        if moment:
            told[name] = times.wire(times.moved(moment, ticket.event.timezone, days))
    return {"name": ticket.name} | told


def first_marked(bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [body | ({FIRST: True} if not place else {}) for place, body in enumerate(bodies)]


def _location(event: Event) -> str:
    link = text(event.payload.get("video_link"))
    if event.location_type == "virtual" and link.lower().startswith("https://"):
        return link
    known = part(event.payload.get("venue"))
    return ", ".join(filter(None, (text(known.get(name)) for name in ("name", "address", "city")))) or "–"
