"""Rows as the API shows them."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from servers.event_api.models import Attendee, Event, TicketClass
from servers.kit.times import text

OPEN_END = timedelta(hours=24)
"""An event without an end is over so long after its start."""


def event_status(event: Event, now: datetime) -> str:
    over = (event.end_at or event.start_at + OPEN_END) <= now
    return "completed" if over and event.status == Event.Status.ACTIVE else event.status


def event(row: Event, sold: int, now: datetime) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "description": row.description,
        "status": event_status(row, now),
        "registration_status": row.registration_status,
        "url": f"{settings.PUBLIC_URL}/e/{row.id}",
        "currency": row.currency,
        "capacity": row.capacity,
        "tickets_sold": sold,
        "start": {"utc": text(row.start_at), "timezone": row.timezone},
        "end": {"utc": text(row.end_at), "timezone": row.timezone} if row.end_at else None,
        "venue": row.venue,
        "location_type": row.location_type,
        "video_link": row.video_link,
        "cover_image": row.cover_image,
        "hidden": row.hidden,
        "require_approval": row.require_approval,
        "tax_inclusive": row.tax_inclusive,
        "allow_rsvp": row.allow_rsvp,
        "required_contact_method": row.required_contact_method,
        "remove_service_fees": row.remove_service_fees,
        "restricted_list_ids": row.restricted_list_ids,
        "space_id": row.space_id,
        "categories": row.categories,
        "created_at": text(row.created_at),
        "updated_at": text(row.updated_at),
    }


def ticket_class(row: TicketClass, sold: int) -> dict[str, Any]:
    cost = int(row.cost) if row.cost == int(row.cost) else float(row.cost)
    return {
        "id": row.id,
        "event_id": row.event_id,
        "name": row.name,
        "description": row.description,
        "status": row.status,
        "kind": row.kind,
        "currency": row.currency,
        "cost": cost,
        "price": cost,
        "free": row.free,
        "quantity_total": row.quantity_total,
        "quantity_sold": sold,
        "sales_start": text(row.sales_start),
        "sales_end": text(row.sales_end),
        "minimum_per_order": row.minimum_per_order,
        "maximum_per_order": row.maximum_per_order,
        "require_approval": row.require_approval,
        "hide_on_event_page": row.hide_on_event_page,
        "created_at": text(row.created_at),
        "updated_at": text(row.updated_at),
    }


def attendee(row: Attendee) -> dict[str, Any]:
    return attendee_row(row, row.ticket_class.name)


def attendee_row(row: Any, ticket_class_name: str) -> dict[str, Any]:
    """From an attendee, or from a tuple of its columns."""
    return {
        "id": row.id,
        "status": row.status,
        "event_id": row.event_id,
        "ticket_class_id": row.ticket_class_id,
        "ticket_class_name": ticket_class_name,
        "barcode": row.barcode,
        "first_name": row.first_name,
        "last_name": row.last_name,
        "email": row.email,
        "company": row.company or None,
        "checked_in_at": text(row.checked_in_at),
        "payment_id": row.payment_id,
        "refunded_at": text(row.refunded_at),
        "contact_id": row.contact_id,
        "upgrade": {
            "from_ticket_class_id": row.upgrade_from_id,
            "to_ticket_class_id": row.upgrade_to_id,
            "status": row.upgrade_status,
        }
        if row.upgrade_status
        else None,
        "created_at": text(row.created_at),
        "updated_at": text(row.updated_at),
    }
