"""Rows of the mirror as a sweep would have left them: payloads through the rooms' own rules."""

from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.attendees import rules as attendee_rules
from organizer.attendees.models import Attendee, StatusCount
from organizer.connections import actions
from organizer.connections.models import Connection, Health, Service
from organizer.events import rules as event_rules
from organizer.events.models import Event, TicketClass
from organizer.sync import registry
from organizer.sync.mirror import refresh
from organizer.sync.models import Command, Sweep

KEY = "evt_live_" + "k" * 32
_numbers = count(1)


NOBODY = "http://127.0.0.1:9"
"""An address where nothing listens."""


def connection(organization: Organization, *, url: str = NOBODY, health: str = Health.WORKING) -> Connection:
    made = actions.add(organization=organization, service=Service.EVENTS, url=url, key=KEY, by=None)
    Connection.objects.filter(pk=made.pk).update(health=health)
    made.refresh_from_db()
    return made


def event(connection: Connection, **fields: Any) -> Event:
    now = timezone.now().replace(microsecond=0)
    start = min(now + timedelta(hours=2), now.replace(hour=23, minute=59, second=59))  # today, also late in the evening
    payload = {
        "id": f"evt-{next(_numbers)}",
        "name": "Spring opening",
        "status": "live",
        "start": {"utc": _utc(start), "timezone": "Europe/Berlin"},
        "end": {"utc": _utc(start + timedelta(hours=3)), "timezone": "Europe/Berlin"},
        "currency": "EUR",
        "location_type": "venue",
        "venue": {"name": "Harbour Hall", "city": "Hamburg"},
    } | fields
    return Event.objects.create(**_of(connection, payload), **asdict(event_rules.effective(payload)))


def ticket_class(event: Event, **fields: Any) -> TicketClass:
    payload = {
        "id": f"class-{next(_numbers)}",
        "event_id": event.remote_id,
        "name": "General admission",
        "status": "active",
        "currency": "EUR",
        "cost": 25,
        "quantity_total": 100,
    } | fields
    columns = asdict(event_rules.effective_class(payload))
    return TicketClass.objects.create(event=event, **_of(event.connection, payload), **columns)


def guest(event: Event, ticket_class: TicketClass | None = None, **fields: Any) -> Attendee:
    number = next(_numbers)
    payload = {
        "id": f"guest-{number}",
        "event_id": event.remote_id,
        "status": "valid",
        "first_name": "Ada",
        "last_name": f"Guest {number}",
        "email": f"guest{number}@mail.test",
        "barcode": f"FOY{number:08}",
    } | fields
    columns = asdict(attendee_rules.effective(payload))
    row = Attendee.objects.create(event=event, ticket_class=ticket_class, **_of(event.connection, payload), **columns)
    slot = attendee_rules.slot_of(row.status, row.checked_in_at)
    StatusCount.objects.create(event=event, ticket_class=ticket_class, status=row.status, slot=slot, count=1)
    return row


def answered(row: Any, **fields: Any) -> None:
    """The provider says something else of it by now."""
    row.refresh_from_db()
    row.payload = row.payload | fields
    row.save(update_fields=["payload"])
    refresh(registry.noun("ticket_classes" if isinstance(row, TicketClass) else "events"), [row])


def command_about(row: Any, kind: str, state: str, **fields: Any) -> Command:
    """As the outbox would have left it, and the row with it."""
    of = registry.kind(kind)
    made = Command.objects.create(
        organization_id=row.organization_id, connection_id=row.connection_id, kind=kind, noun=of.noun,
        target_id=row.pk, target_name=str(row), scope=of.scope, state=state, by_name="Max", **fields,
    )  # fmt: skip
    refresh(registry.noun(of.noun), [row])
    return made


def command(guest: Attendee, kind: str = "attendees.approve", **fields: Any) -> Command:
    """As the outbox would have left it, and the guest's row with it."""
    of = registry.kind(kind)
    params = {"notify_guest": True, "custom_message": "See you there"}
    values: dict[str, Any] = {"params": params, "fields": of.fields(params, timezone.now()), "by_name": "Olive"}
    made = Command.objects.create(
        organization=guest.organization, connection=guest.connection, kind=kind, noun=of.noun, scope=of.scope,
        target_id=guest.pk, target_name=str(guest)[:200], **(values | fields),
    )  # fmt: skip
    refresh(registry.noun(of.noun), [guest])
    return made


def recompute(guest: Attendee) -> None:
    """A command of the guest was changed by hand: the row follows."""
    refresh(registry.noun("attendees"), [Attendee.objects.get(pk=guest.pk)])


def swept(connection: Connection, noun: str, scope: str = "", *, at: datetime, problem: str = "") -> Sweep:
    """The list was read whole at `at`, and nothing has come since."""
    return Sweep.objects.update_or_create(
        connection=connection, noun=noun, scope=scope,
        defaults={"started_at": at, "finished_at": at, "next_at": None, "problem": problem, "generation": 1},
    )[0]  # fmt: skip


def _of(connection: Connection, payload: dict[str, Any]) -> dict[str, Any]:
    return {
        "organization": connection.organization,
        "connection": connection,
        "remote_id": payload["id"],
        "payload": payload,
        "read_at": timezone.now(),
        "generation": 1,
    }


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
