"""What the list of deliveries can show of one, on the screen and in a file. Pure."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from organizer.kit.exports import Cell

if TYPE_CHECKING:
    from organizer.webhooks.models import Delivery

ALWAYS = "event"
"""A row is opened by it."""


@dataclass(frozen=True)
class Column:
    key: str
    label: Promise
    fields: tuple[str, ...]
    """What is read of the delivery for it."""
    of: "Callable[[Delivery], Cell]"
    timed: bool = False
    end: bool = False
    """Numbers and times stand at the right."""


def _settled(one: "Delivery") -> datetime | None:
    return one.settled_at if one.settled_at and one.outcome not in ("stored_only", "test") else None


def _took(one: "Delivery") -> Cell:
    settled = _settled(one)
    return Decimal(f"{(settled - one.received_at).total_seconds():.3f}") if settled else None


COLUMNS = (
    Column("outcome", _("Outcome"), ("outcome",), lambda one: str(one.get_outcome_display())),
    Column("event", _("Event"), ("event",), lambda one: one.event),
    Column("reference", _("Order"), ("reference",), lambda one: one.reference),
    Column("supplier", _("Supplier"), ("vendor__key",), lambda one: one.vendor.key),
    Column("signature", _("Signature"), ("auth",), lambda one: str(one.get_auth_display())),
    Column("secret", _("Secret no."), ("secret_number",), lambda one: one.secret_number, end=True),
    Column("id", _("Delivery id"), ("delivery_id",), lambda one: one.delivery_id),
    Column("source", _("From"), ("source",), lambda one: one.source),
    Column("body", _("Body"), ("beginning",), lambda one: one.beginning),
    Column("size", _("Bytes"), ("body_size",), lambda one: one.body_size, end=True),
    Column("times", _("Times"), ("duplicates",), lambda one: one.duplicates + 1, end=True),
    Column("took", _("Took"), ("settled_at", "received_at", "outcome"), _took, end=True),
    Column("settled", _("Settled"), ("settled_at", "outcome"), _settled, timed=True, end=True),
    Column("received", _("Received"), ("received_at",), lambda one: one.received_at, timed=True, end=True),
)  # fmt: skip
BY_KEY = {column.key: column for column in COLUMNS}
USUAL = ("outcome", "event", "reference", "supplier", "signature", "body", "took", "received")
"""In the order of `COLUMNS`, as every choice is."""
IN_FILE = (
    "received", "outcome", "event", "reference", "supplier", "signature", "id", "source", "size", "times", "settled"
)  # fmt: skip
"""Where nobody chose."""


def chosen(keys: Collection[str]) -> tuple[str, ...]:
    """() where it is the usual ones, so that an address says what differs."""
    asked = {ALWAYS, *keys} if keys else set(USUAL)
    shown = tuple(column.key for column in COLUMNS if column.key in asked)
    return () if shown == USUAL else shown


def shown(keys: Sequence[str]) -> Sequence[Column]:
    return [BY_KEY[key] for key in keys or USUAL]


def in_file(keys: Sequence[str]) -> Sequence[Column]:
    return [BY_KEY[key] for key in keys or IN_FILE]
