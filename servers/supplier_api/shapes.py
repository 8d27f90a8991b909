"""Rows as the API shows them. An order's items and tickets are loaded by who asks."""

from decimal import Decimal
from typing import Any

from django.conf import settings

from servers.kit.times import text
from servers.supplier_api import rules
from servers.supplier_api.models import Listing, Order, OrderItem, Ticket


def listing(row: Listing) -> dict[str, Any]:
    return {
        "id": row.pk,
        "event_name": row.event_name,
        "starts_at": text(row.starts_at),
        "section": row.section,
        "price": _amount(row.price),
        "currency": row.currency,
        "available": row.available,
        "ticket_type": row.ticket_type,
    }


def order(row: Order) -> dict[str, Any]:
    return {
        "id": row.pk,
        "reference": row.reference,
        "status": row.status,
        "currency": row.currency,
        "total": _amount(row.total),
        "items": [_item(one) for one in row.items.all()],
        "rejection_reason": row.rejection_reason or None,
        "created_at": text(row.created_at),
        "updated_at": text(row.updated_at),
    }


def fulfilment(row: Order) -> dict[str, Any]:
    """Only the tickets that can be fetched; how many there will be is known as soon as they are printed."""
    tickets = list(row.tickets.all())
    retrievable = [ticket for ticket in tickets if ticket.retrievable_at]
    return {
        "status": rules.fulfilment(len(retrievable), len(tickets)),
        "expected": sum(item.quantity for item in row.items.all()),
        "tickets": [_ticket(row, ticket) for ticket in retrievable],
    }


def _item(row: OrderItem) -> dict[str, Any]:
    return {
        "id": row.pk,
        "listing_id": row.listing_id,
        "quantity": row.quantity,
        "price": _amount(row.price),
        "section": row.section,
        "row": row.row,
        "seats": row.seats,
    }


def _ticket(of: Order, row: Ticket) -> dict[str, Any]:
    shown = {"id": row.pk, "type": row.type, "row": row.row, "seat": row.seat}
    if row.type != Listing.TicketType.PDF:
        return shown | {"value": row.code}
    return shown | {"download_url": f"{settings.PUBLIC_URL}/api/vendor/v1/orders/{of.pk}/tickets/{row.pk}/file"}


def _amount(value: Decimal) -> int | float:
    return int(value) if value == int(value) else float(value)
