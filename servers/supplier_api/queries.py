"""Reads that several nouns need. What belongs to another supplier is not found, like what never was."""

from django.db.models import QuerySet

from servers.kit.errors import ApiError
from servers.kit.ids import is_id
from servers.supplier_api.models import Order, Supplier, Ticket


def by_reference(supplier: Supplier, reference: str) -> list[Order]:
    """One, or none. Exactly this reference: another case or a blank more is another one."""
    return list(_whole(supplier).filter(reference=reference)) if "\x00" not in reference else []


def order(supplier: Supplier, order_id: str) -> Order:
    found = is_id(order_id) and _whole(supplier).filter(pk=order_id).first()
    if not found:
        raise ApiError(404, "Order not found", "There is no such order with this supplier.")
    return found


def ticket(of: Order, ticket_id: str) -> Ticket:
    """One that can be fetched."""
    found = is_id(ticket_id) and _retrievable(of).filter(pk=ticket_id).first()
    if not found:
        raise ApiError(404, "Ticket not found", "This order has no such ticket that can be fetched.")
    return found


def _whole(supplier: Supplier) -> QuerySet[Order]:
    return supplier.orders.prefetch_related("items")


def _retrievable(of: Order) -> QuerySet[Ticket]:
    return of.tickets.exclude(retrievable_at=None).select_related("item__listing")
