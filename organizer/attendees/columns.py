"""What a guest list can show of a guest, one column each, on the screen and in a file. Pure."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from organizer.attendees.rules import LONG_AGO
from organizer.kit.exports import Cell

if TYPE_CHECKING:
    from organizer.attendees.models import Attendee

LISTS = EVENT, EVERYBODY, APPROVALS, OVERVIEW = "event", "all", "approvals", "overview"
ALWAYS = "name"
"""A row is opened by it."""
STATUSES = {
    "valid": _("Going"),
    "checked_in": _("Checked in"),
    "pending_approval": _("Pending"),
    "invited": _("Invited"),
    "rejected": _("Rejected"),
    "deleted": _("Deleted"),
}


@dataclass(frozen=True)
class Column:
    key: str
    label: Promise
    fields: tuple[str, ...]
    """What is read of the guest for it."""
    of: "Callable[[Attendee], Cell]"
    plain: bool = False
    """Its cell on the screen is the text alone."""
    timed: bool = False


def _status(guest: "Attendee") -> str:
    if guest.gone_at is not None:
        return str(_("Gone"))
    return str(STATUSES.get(guest.status, guest.status))


COLUMNS = (
    Column("name", _("Guest"), ("name",), lambda guest: guest.name),
    Column("email", _("E-mail"), ("email",), lambda guest: guest.email),
    Column("first_name", _("First name"), ("first_name",), lambda guest: guest.first_name, plain=True),
    Column("last_name", _("Last name"), ("last_name",), lambda guest: guest.last_name, plain=True),
    Column("company", _("Company"), ("company",), lambda guest: guest.company, plain=True),
    Column("code", _("Code"), ("barcode",), lambda guest: guest.barcode, plain=True),
    Column("id", _("Provider's id"), ("remote_id",), lambda guest: guest.remote_id, plain=True),
    Column("status", _("Status"), ("status", "gone_at"), _status),
    Column("event", _("Event"), ("event__name",), lambda guest: guest.event.name),
    Column("class", _("Class"), ("ticket_class_name",), lambda guest: guest.ticket_class_name),
    Column(
        "registered", _("Registered"), ("registered_at",), timed=True,
        of=lambda guest: guest.registered_at if guest.registered_at != LONG_AGO else None,
    ),
    Column("checked_in", _("Checked in"), ("checked_in_at",), lambda guest: guest.checked_in_at, timed=True),
)  # fmt: skip
BY_KEY = {column.key: column for column in COLUMNS}
USUAL = {
    EVENT: ("name", "email", "status", "class", "registered", "checked_in"),
    EVERYBODY: ("name", "email", "status", "event", "registered", "checked_in"),
    APPROVALS: ("name", "email", "status", "event", "class", "registered"),
    OVERVIEW: ("name", "status", "event", "class", "registered"),
}
"""In the order of `COLUMNS`, as every choice is."""


LEFT_OUT = {EVENT: "event", APPROVALS: "checked_in"}
"""What is the same of everybody in the list."""


def offered(name: str) -> Sequence[Column]:
    return [column for column in COLUMNS if column.key != LEFT_OUT.get(name)]


def chosen(keys: Collection[str], name: str) -> tuple[str, ...]:
    """A person's choice for this list; () where it is the usual one, so that an address says what differs."""
    asked = {ALWAYS, *keys} if keys else set(USUAL[name])
    shown = tuple(column.key for column in offered(name) if column.key in asked)
    return () if shown == USUAL[name] else shown


def shown(keys: Sequence[str], name: str) -> Sequence[Column]:
    return [BY_KEY[key] for key in keys or USUAL[name]]
