"""Writes of events. Each runs in the request's transaction."""

import re
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from servers.event_api import money, queries
from servers.event_api.errors import invalid, sold_tickets
from servers.event_api.models import Event, TicketClass
from servers.kit import clock
from servers.organizations.models import Organization

GENERAL_ADMISSION = "General Admission"
_LINK = re.compile(r"https://[^\s/][^\s]*", re.IGNORECASE)
_MOVES = {("draft", "active"), ("active", "cancelled"), ("cancelled", "active")}


class Moment(Protocol):
    timezone: str

    def instant(self, path: str) -> datetime: ...


def create(*, organization: Organization, ticket_price: float = 0, **fields: Any) -> Event:
    """An event and its first ticket class."""
    event = Event(organization=organization)
    _apply(event, fields)
    cost = _price(ticket_price, event.currency)
    event.save(force_insert=True)
    TicketClass.objects.create(
        event=event, name=GENERAL_ADMISSION, currency=event.currency.upper(), cost=cost, free=cost == 0
    )
    return event


def update(*, event: Event, **fields: Any) -> Event:
    event = Event.objects.select_for_update(no_key=True).get(pk=event.pk)
    status = fields.get("status", event.status)
    if status != event.status and (event.status, status) not in _MOVES:
        raise invalid("status", f"An event that is {event.status} cannot become {status}.", "transition")
    _check_capacity(event, fields.get("capacity", event.capacity))
    _apply(event, fields)
    event.updated_at = clock.now()
    event.save()
    return event


def delete(*, event: Event) -> None:
    """Soft. Raises a 409 while guests hold paid tickets; a second time changes nothing."""
    event = Event.objects.select_for_update(no_key=True).get(pk=event.pk)
    if event.status == Event.Status.DELETED:
        return
    if paid := queries.paid(event.attendees.all()):
        raise sold_tickets("event", paid)
    event.status, event.updated_at = Event.Status.DELETED, clock.now()
    event.save(update_fields=["status", "updated_at"])


def _check_capacity(event: Event, wanted: int) -> None:
    """Seats that are taken are not taken away; a capacity that stays as it is, or grows, is never refused."""
    shrinks = wanted and (not event.capacity or wanted < event.capacity)
    if shrinks and wanted < (taken := queries.sold(event.attendees.all())):
        raise invalid("capacity", f"{taken} seats are taken.", "sold_tickets")


def _apply(event: Event, fields: dict[str, Any]) -> None:
    _apply_times(event, fields)
    _apply_place(event, fields)
    if "currency" in fields:
        code = fields.pop("currency")
        if code.upper() not in money.CODES:
            raise invalid("currency", f"{code} is not a currency of ISO 4217.", "currency")
        event.currency = code.lower()
    for name, value in fields.items():
        setattr(event, name, value)


def _apply_times(event: Event, fields: dict[str, Any]) -> None:
    start: Moment | None = fields.pop("start", None)
    end_sent, end = "end" in fields, fields.pop("end", None)
    if start:
        event.start_at, event.timezone = start.instant("start"), start.timezone
    if end_sent:
        event.end_at = end and end.instant("end")
        if end and end.timezone != event.timezone:
            raise invalid("end.timezone", f"Start and end share a time zone: {event.timezone}.", "timezone")
    if event.end_at and event.end_at <= event.start_at:
        raise invalid("end", "The end is after the start.", "order")


def _apply_place(event: Event, fields: dict[str, Any]) -> None:
    location: str | None = fields.pop("location", None)
    if location and location[:8].lower() == "https://":
        if not _LINK.fullmatch(location):
            raise invalid("location", "This is not a link that can be opened.", "link")
        event.venue, event.video_link, event.location_type = None, location, "virtual"
        _leave_out_null(fields, "video_link")
    elif location:
        event.venue, event.location_type = _venue(address=location), "physical"
        _leave_out_null(fields, "venue")
    if "venue" in fields:
        venue = fields.pop("venue")
        event.venue = venue and _venue(**venue.model_dump())
        event.location_type = "physical" if venue else "virtual" if event.video_link else None


def _leave_out_null(fields: dict[str, Any], name: str) -> None:
    """Null beside the location that says what the field is does not take it away again."""
    if fields.get(name, ...) is None:
        del fields[name]


def _venue(**known: Any) -> dict[str, Any]:
    return dict.fromkeys(("name", "address", "city", "state", "country", "latitude", "longitude")) | known


def _price(amount: float, currency: str) -> Decimal:
    cost = money.exact(amount, currency)
    if cost is None:
        raise invalid("ticket_price", f"{currency.upper()} has {money.decimals(currency)} decimals.", "decimals")
    return cost
