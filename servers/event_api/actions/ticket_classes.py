"""Writes of ticket classes. Each runs in the request's transaction."""

from typing import Any

from django.db import IntegrityError, transaction

from servers.event_api import money, queries, times
from servers.event_api.errors import invalid, name_exists, sold_tickets
from servers.event_api.models import Event, TicketClass
from servers.kit import clock


def create(*, event: Event, name: str, **fields: Any) -> TicketClass:
    row = TicketClass(event=event, name=name, currency=event.currency.upper())
    _apply(event, row, fields)
    if not _saved(row):
        raise invalid("name", f"Another ticket class of this event is named {name!r}.", "name_exists")
    return row


def update(*, event: Event, ticket_class: TicketClass, **fields: Any) -> TicketClass:
    row = TicketClass.objects.select_for_update(no_key=True).get(pk=ticket_class.pk)
    row.name = fields.pop("name", row.name)
    _check_quantity(row, fields.get("quantity_total", row.quantity_total))
    _apply(event, row, fields)
    row.updated_at = clock.now()
    if not _saved(row):
        raise name_exists(row.name)
    return row


def delete(*, ticket_class: TicketClass) -> None:
    """Soft. Raises a 409 while tickets of it are held; a second time changes nothing."""
    row = TicketClass.objects.select_for_update(no_key=True).get(pk=ticket_class.pk)
    if row.status == TicketClass.Status.DELETED:
        return
    if sold := queries.sold(row.attendees.all()):
        raise sold_tickets("ticket class", sold)
    row.status, row.updated_at = TicketClass.Status.DELETED, clock.now()
    row.save(update_fields=["status", "updated_at"])


def _check_quantity(row: TicketClass, wanted: int) -> None:
    """Seats that are taken are not taken away; a quantity that stays as it is, or grows, is never refused."""
    shrinks = wanted and (not row.quantity_total or wanted < row.quantity_total)
    if shrinks and wanted < (sold := queries.sold(row.attendees.all())):
        raise sold_tickets("ticket class", sold)


def _saved(row: TicketClass) -> bool:
    """False where an active class of the event has the name already."""
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        return False
    return True


def _apply(event: Event, row: TicketClass, fields: dict[str, Any]) -> None:
    _apply_price(row, fields)
    zone = times.zone(event.timezone)
    for name in ("sales_start", "sales_end"):
        written = fields.pop(name, ...)
        if written is not ...:
            try:
                setattr(row, name, written and times.instant(written, zone))
            except times.CouldNotRead as error:
                raise invalid(name, str(error), "time") from None
    for name, value in fields.items():
        setattr(row, name, value)
    if row.sales_start and row.sales_end and row.sales_end <= row.sales_start:
        raise invalid("sales_end", "Sales end after they start.", "order")
    if row.minimum_per_order > row.maximum_per_order:
        raise invalid("maximum_per_order", "The maximum is not below the minimum.", "order")


def _apply_price(row: TicketClass, fields: dict[str, Any]) -> None:
    if "currency" in fields:
        row.currency = fields.pop("currency").upper()
        if row.currency not in money.CODES:
            raise invalid("currency", f"{row.currency} is not a currency of ISO 4217.", "currency")
    cost_sent = "cost" in fields
    cost = money.exact(fields.pop("cost", float(row.cost)), row.currency)
    if cost is None:
        raise invalid("cost", f"{row.currency} has {money.decimals(row.currency)} decimals.", "decimals")
    row.cost = cost
    free = fields.pop("free", cost == 0 if cost_sent else row.free)
    if free and cost:
        raise invalid("free", "A free ticket class costs nothing.", "free")
    row.free = free
