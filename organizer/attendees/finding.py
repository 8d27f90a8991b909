"""The guest whose ticket is shown, locked: one short statement, since a queue of people waits for it."""

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee
from organizer.events.models import Event
from organizer.kit import quick

GUEST = quick.Columns(
    Attendee,
    "a",
    (
        "id", "organization", "connection", "remote_id", "event", "status", "gone_at", "payload", "doubts", "outbox",
        "needs_attention", "name", "email", "ticket_class_name", "checked_in_at",
    ),
)  # fmt: skip
EVENT = quick.Columns(Event, "e", ("id", "organization", "connection", "remote_id", "name", "notify_at_check_in"))


def by_code(organization: Organization, codes: Sequence[str]) -> list[Attendee]:
    """Of all events of the organization: whose ticket it is can be said then. The codes first, then the API's ids."""
    return _read(organization, "barcode", codes) or _read(organization, "remote_id", codes)


def by_key(organization: Organization, event_id: UUID, attendee_id: UUID) -> list[Attendee]:
    found = _read(organization, "id", [quick.value(Attendee, "id", attendee_id)])
    return [guest for guest in found if guest.event_id == event_id]


def _read(organization: Organization, column: str, values: Sequence[Any]) -> list[Attendee]:
    params = [quick.value(Attendee, "organization", organization.pk), *values]
    found = []
    for guest, event in quick.read(_select(column, len(values), connection.vendor), params, GUEST, EVENT):
        guest.event = event
        found.append(guest)
    return found


@cache
def _select(column: str, number: int, vendor: str) -> str:
    lock = " FOR UPDATE OF a" if vendor == "postgresql" else ""  # SQLite's transactions are one after another
    return (
        f"SELECT {GUEST}, {EVENT} FROM attendees_attendee a"  # noqa: S608 names of our own
        " JOIN events_event e ON e.id = a.event_id JOIN connections_connection c ON c.id = a.connection_id"
        f" WHERE a.organization_id = %s AND a.{column} IN ({', '.join(['%s'] * number)}) AND c.live"
        f" ORDER BY a.id{lock}"
    )
