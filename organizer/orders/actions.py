"""Writes that people and shops ask for: an order placed, a look at it, a search of what is sold."""

import hashlib
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.kit.text import fold
from organizer.orders import wakes
from organizer.orders.models import Order, Ticket
from organizer.sync import outbox
from organizer.webhooks.models import Cause, Vendor

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
OUR_REFERENCE = re.compile(f"R-[{CROCKFORD}]{{12}}")


class CouldNotPlace(Exception):
    """`field` is the form's field that `message` belongs to; `error` is what the shop API calls it."""

    def __init__(self, message: str, field: str = "", error: str = "invalid") -> None:
        super().__init__(message)
        self.message, self.field, self.error = message, field, error


@dataclass(frozen=True)
class Item:
    listing_id: str
    quantity: int
    about: dict[str, Any] | None = None
    """What the listing said when it was chosen, for the screen."""


def place(
    *,
    vendor: Vendor,
    items: Sequence[Item],
    name: str,
    email: str,
    by: User | None,
    reference: str = "",
    by_name: str = "",
    now: datetime | None = None,
) -> Order:
    """The same reference and wishes again are the same order. Raises `CouldNotPlace`."""
    if vendor.connection is None or not vendor.connection.live:
        raise CouldNotPlace(_("This supplier takes no orders: it has no address for them."), "vendor", "not_connected")
    reference = reference or new_reference()
    wishes = [{"listing_id": item.listing_id, "quantity": item.quantity} for item in items]
    body = {"reference": reference, "items": wishes, "customer": {"name": name, "email": email}}
    order = Order(
        organization_id=vendor.organization_id, connection=vendor.connection, vendor=vendor,
        reference=reference, customer_name=name, customer_email=email, digest=_digest(body),
        wanted=[(item.about or {}) | wish for item, wish in zip(items, wishes, strict=True)],
        search=f" {fold(f'{name} {email}')} {fold(reference)}",
        placed_at=now or timezone.now(), by=by, by_name=by_name or (str(by) if by else "system"),
    )  # fmt: skip
    try:
        with transaction.atomic():
            [command] = outbox.make("orders.place", [(order, body)], by=by, now=now)
            after = {"vendor": vendor.key, "items": wishes, "command": command.seq}
            audit.record("order.place", target=order, organization=vendor.organization, by=by, after=after)
    except IntegrityError:
        return _known(order)
    return order


def look(*, order: Order, by: User) -> None:
    """*Reconcile now*: goes before all that is looked at by itself."""
    with transaction.atomic():
        wakes.ask(order.vendor_id, order.reference, Cause.PERSON, by_name=str(by))
        audit.record("order.reconcile", target=order, organization=order.organization, by=by)


def fetch_again(*, ticket: Ticket) -> None:
    """Its file is not where it was stored: as after a restore."""
    Ticket.objects.filter(pk=ticket.pk).update(file="", fetched_at=None, next_at=timezone.now())


def note_download(*, ticket: Ticket, by: User) -> None:
    audit.record(
        "order.download_ticket",
        target=ticket.order,
        organization=ticket.organization,
        by=by,
        after={"ticket": ticket.remote_id},
    )


def new_reference() -> str:
    return "R-" + "".join(secrets.choice(CROCKFORD) for _n in range(12))


def _known(order: Order) -> Order:
    known = Order.objects.get(vendor=order.vendor_id, reference=order.reference)
    if known.digest != order.digest:
        message = _("This reference belongs to another order of this supplier.")
        raise CouldNotPlace(message, "reference", "reference_in_use")
    return known


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
