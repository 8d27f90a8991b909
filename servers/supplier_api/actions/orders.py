"""Orders are placed and moved. Each runs in one transaction with its history and its notification."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from django.db.models import F

from servers.kit import clock, writes
from servers.kit.errors import ApiError
from servers.supplier_api import rules
from servers.supplier_api.actions import deliveries, steps
from servers.supplier_api.models import Listing, Move, Order, OrderItem, Supplier, Ticket
from servers.supplier_api.rules import Status, Step


class CouldNotMove(Exception):
    """The message says why the order does not go there."""


@dataclass(frozen=True)
class Wanted:
    listing_id: str
    quantity: int


def place(*, supplier: Supplier, reference: str, items: Sequence[Wanted], name: str, email: str) -> tuple[Order, bool]:
    """The order, and whether it is new. A reference is an order once and for all: with another body it is refused."""
    said = json.dumps([[asdict(item) for item in items], name, email])
    sha256 = hashlib.sha256(said.encode()).hexdigest()
    with writes.write():
        # a supplier's orders are placed one after another: none is numbered twice, no seat is given out twice
        supplier = Supplier.objects.select_for_update(no_key=True).get(pk=supplier.pk)
        known = Order.objects.filter(supplier=supplier, reference=reference).first()
        if known:
            if known.body_sha256 != sha256:
                raise ApiError(400, "idempotency_key_reuse", "This reference was used with another body.")
            return known, False
        listings = _listings(supplier, items)
        supplier.orders_placed += 1
        supplier.save(update_fields=["orders_placed"])
        order = Order.objects.create(
            supplier=supplier,
            number=supplier.orders_placed,
            reference=reference,
            body_sha256=sha256,
            currency=listings[0].currency,
            total=sum((one.price * item.quantity for one, item in zip(listings, items, strict=True)), Decimal(0)),
            customer_name=name,
            customer_email=email,
        )
        lines = [
            (listing, place, item.quantity) for place, (listing, item) in enumerate(zip(listings, items, strict=True))
        ]
        for line in sorted(lines, key=lambda line: line[0].pk):  # as they are given back: nobody waits for each other
            _sell(order, *line)
        _note(order, Step.PLACED)
        if supplier.moves:
            steps.put(order)
    return order, True


def accept(*, order: Order, by: str = "") -> Order:
    with writes.write():
        order = _moved(order, Step.ACCEPTED, Status.ACCEPTED, by=by)
        _print_tickets(order)
        deliveries.put(order, rules.EVENTS[Step.ACCEPTED])
    return order


def reject(*, order: Order, reason: str, by: str = "") -> Order:
    reason = reason.strip()
    if not reason or len(reason) > 500:
        raise CouldNotMove("A rejection has a reason of 1 to 500 characters.")
    with writes.write():
        order = _moved(order, Step.REJECTED, Status.REJECTED, by=by, note=reason, rejection_reason=reason)
        _give_back(order)
        deliveries.put(order, rules.EVENTS[Step.REJECTED])
    return order


def cancel(*, order: Order, by: str = "") -> Order:
    with writes.write():
        order = _moved(order, Step.CANCELLED, Status.CANCELLED, by=by)
        _give_back(order)
        deliveries.put(order, rules.EVENTS[Step.CANCELLED])
    return order


def make_available(*, order: Order, count: int, by: str = "") -> Order:
    """The next so many tickets can be fetched; with the last of them the order is fulfilled."""
    with writes.write():
        locked = _locked(order, Step.TICKETS)
        waiting = list(locked.tickets.filter(retrievable_at=None).values_list("pk", flat=True))
        if not 1 <= count <= len(waiting):
            raise CouldNotMove(f"{len(waiting)} tickets wait to be made available, not {count}.")
        Ticket.objects.filter(pk__in=waiting[:count]).update(retrievable_at=clock.now())
        status = Status.FULFILLED if count == len(waiting) else Status.ACCEPTED
        _write(locked, Step.TICKETS, status, by=by, note=str(count))
        deliveries.put(locked, rules.EVENTS[Step.TICKETS])
    return locked


def _listings(supplier: Supplier, items: Sequence[Wanted]) -> list[Listing]:
    """One for each item. Raises a 422 where one is not sold, or not together with the others."""
    on_sale = Listing.objects.filter(supplier=supplier, starts_at__gt=clock.now())
    found = on_sale.in_bulk([item.listing_id for item in items])
    if unknown := [item.listing_id for item in items if item.listing_id not in found]:
        raise ApiError(422, "unknown_listing", "This listing is not on sale here.", listing_id=unknown[0])
    listings = [found[item.listing_id] for item in items]
    if len({listing.currency for listing in listings}) > 1:
        raise ApiError(422, "mixed_currencies", "An order is paid in one currency.")
    return listings


def _sell(order: Order, listing: Listing, place: int, quantity: int) -> None:
    rows = Listing.objects.filter(pk=listing.pk, available__gte=quantity)  # the statement looks and takes at once
    if not rows.update(available=F("available") - quantity, assigned=F("assigned") + quantity):
        left = Listing.objects.values_list("available", flat=True).get(pk=listing.pk)
        message = f"Only {left} are left of {listing.section}."
        raise ApiError(422, "not_available", message, listing_id=listing.pk, available=left)
    row, seats = None, []
    if listing.seats_a_row:
        first = Listing.objects.values_list("assigned", flat=True).get(pk=listing.pk) - quantity
        row = _row(first // listing.seats_a_row)
        seats = [_seat(first + n, listing.seats_a_row, row) for n in range(quantity)]
    OrderItem.objects.create(
        order=order, listing=listing, place=place, quantity=quantity, price=listing.price,
        section=listing.section, row=row, seats=seats,
    )  # fmt: skip


def _row(number: int) -> str:
    """A to Z, then AA."""
    return (_row(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def _seat(number: int, seats_a_row: int, row: str) -> str:
    """Its number; with its row where the first seat's row is full."""
    own = _row(number // seats_a_row)
    return f"{'' if own == row else own}{number % seats_a_row + 1}"


def _print_tickets(order: Order) -> None:
    items = order.items.select_related("listing")
    seats = [(item, seat) for item in items for seat in item.seats or [None] * item.quantity]
    Ticket.objects.bulk_create(
        Ticket(order=order, item=item, place=place, type=item.listing.ticket_type, row=item.row, seat=seat)
        for place, (item, seat) in enumerate(seats, 1)
    )


def _give_back(order: Order) -> None:
    # in the order of their ids, as they are sold: two that touch the same listings never wait for each other
    for listing_id, quantity in order.items.order_by("listing_id").values_list("listing_id", "quantity"):
        Listing.objects.filter(pk=listing_id).update(available=F("available") + quantity)
    order.tickets.all().delete()


def _locked(order: Order, step: Step) -> Order:
    found = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
    if step not in rules.allowed(Status(found.status)):
        raise CouldNotMove(f"An order that is {found.status} does not take this step.")
    return found


def _moved(order: Order, step: Step, status: Status, *, by: str, note: str = "", **fields: str) -> Order:
    locked = _locked(order, step)
    _write(locked, step, status, by=by, note=note, **fields)
    return locked


def _write(order: Order, step: Step, status: Status, *, by: str, note: str, **fields: str) -> None:
    order.status, order.updated_at = status, clock.now()
    for name, value in fields.items():
        setattr(order, name, value)
    order.save(update_fields=["status", "updated_at", *fields])
    _note(order, step, by=by, note=note)


def _note(order: Order, step: Step, *, by: str = "", note: str = "") -> None:
    Move.objects.create(order=order, step=step, by=by[:150], note=note)
