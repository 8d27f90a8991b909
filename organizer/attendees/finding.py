"""The guest whose ticket is shown, locked: one short statement, since a queue of people waits for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee, Scan
from organizer.events.models import Event
from organizer.kit import quick

GUEST = quick.Columns(
    Attendee,
    "a",
    (
        "id", "organization", "connection", "remote_id", "event", "status", "gone_at", "payload", "doubts", "outbox",
        "needs_attention", "name", "email", "ticket_class", "ticket_class_name", "checked_in_at",
    ),
)  # fmt: skip
EVENT = quick.Columns(Event, "e", ("id", "organization", "connection", "remote_id", "name", "notify_at_check_in"))


@dataclass(frozen=True)
class Seen:
    """A guest as read without a lock, of which version, and the number that a command about it may have."""

    guest: Attendee
    version: str
    seq: int


def seen(organization: Organization, codes: Sequence[str]) -> list[Seen]:
    """Of PostgreSQL, whose rows have versions."""
    return [Seen(guest, version, seq) for guest, version, seq in _rows(_SEEN, organization, "barcode", codes)]


def unchanged(seen: Seen, scan: Scan) -> quick.Statement:
    """Locks the guest if it is as it was seen, and the scan's id was not judged before."""
    return quick.Statement(_UNCHANGED, [seen.guest.pk, seen.version, scan.pk])


_UNCHANGED = (
    "SELECT FROM attendees_attendee WHERE id = %s AND xmin = %s::text::xid"
    " AND NOT EXISTS (SELECT FROM attendees_scan WHERE id = %s) FOR UPDATE"
)


def by_code(organization: Organization, codes: Sequence[str]) -> list[Attendee]:
    """Of all events of the organization: whose ticket it is can be said then. The codes first, then the API's ids."""
    return _read(organization, "barcode", codes) or _read(organization, "remote_id", codes)


def by_key(organization: Organization, event_id: UUID, attendee_id: UUID) -> list[Attendee]:
    found = _read(organization, "id", [quick.value(Attendee, "id", attendee_id)])
    return [guest for guest in found if guest.event_id == event_id]


def _read(organization: Organization, column: str, values: Sequence[Any]) -> list[Attendee]:
    lock = "FOR UPDATE OF a" if connection.vendor == "postgresql" else ""  # SQLite's transactions are one after another
    return [guest for (guest,) in _rows("", organization, column, values, lock)]


def _rows(
    more: str, organization: Organization, column: str, values: Sequence[Any], lock: str = ""
) -> Iterator[tuple[Any, ...]]:
    params = [quick.value(Attendee, "organization", organization.pk), *values]
    for guest, event, *rest in quick.read(_select(more, column, len(values), lock), params, GUEST, EVENT):
        guest.event = event
        yield guest, *rest


_SEEN = ", a.xmin::text, nextval(pg_get_serial_sequence('sync_command', 'seq'))"


@cache
def _select(more: str, column: str, number: int, lock: str) -> str:
    return (
        f"SELECT {GUEST}, {EVENT}{more} FROM attendees_attendee a"  # noqa: S608 names of our own
        " JOIN events_event e ON e.id = a.event_id JOIN connections_connection c ON c.id = a.connection_id"
        f" WHERE a.organization_id = %s AND a.{column} IN ({', '.join(['%s'] * number)}) AND c.live"
        f" ORDER BY a.id {lock}"
    )
