"""Writes about events and ticket classes: shown at once, audited, and put into the outbox, in one transaction."""

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.connections.models import Service
from organizer.connections.queries import live
from organizer.events import copies
from organizer.events.models import Event, TicketClass
from organizer.sync import outbox
from organizer.sync.models import Command


class CouldNotWrite(Exception):
    """`message` is a whole sentence for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def create_event(*, organization: Organization, by: User, body: dict[str, Any], venue: dict[str, Any] | None) -> Event:
    """`venue` is told in a second command: a new event takes an address only. Raises `CouldNotWrite`."""
    with transaction.atomic():
        event = _make_event(organization, by, body)
        if venue:
            outbox.put("events.edit", event, by=by, params={"venue": venue})
    return event


def edit_event(*, organization: Organization, event_id: UUID, by: User, body: dict[str, Any]) -> Command:
    """Raises `Event.DoesNotExist`."""
    with transaction.atomic():
        return _about_event("edit", _locked(organization, event_id), by, body)


def move_event(*, organization: Organization, event_id: UUID, by: User, to: str) -> Command:
    """`to` is publish, cancel or delete. Raises `Event.DoesNotExist`."""
    with transaction.atomic():
        return _about_event(to, _locked(organization, event_id), by, {})


def copy_event(*, event: Event, by: User, name: str, starts_on: date) -> Event:
    """A draft with the same ticket classes, all times moved by as many days. Raises `CouldNotWrite`."""
    days = copies.days_between(event, starts_on)
    classes = list(event.ticket_classes.filter(gone_at=None).exclude(status="deleted").order_by("listed_at", "id"))
    with transaction.atomic():
        copy = _make_event(event.organization, by, copies.event_body(event, days=days) | {"name": name}, copied=event)
        if venue := copies.venue(event):
            outbox.put("events.edit", copy, by=by, params={"venue": venue})
        bodies = [copies.class_body(one, days=days) for one in classes]
        _make_classes(copy, by, copies.first_marked(bodies))
    return copy


def create_class(*, event: Event, by: User, body: dict[str, Any]) -> TicketClass:
    with transaction.atomic():
        [ticket] = _make_classes(event, by, [body])
    return ticket


def edit_class(*, ticket: TicketClass, by: User, body: dict[str, Any]) -> Command:
    return _about_class("edit", ticket, by, body)


def delete_class(*, ticket: TicketClass, by: User) -> Command:
    return _about_class("delete", ticket, by, {})


def send_again(*, command: Command, by: User, params: dict[str, Any] | None = None) -> None:
    """Raises `CouldNotWrite` where it was settled meanwhile."""
    with transaction.atomic():
        try:
            again = outbox.send_again(command, by=by, params=params)
        except outbox.CouldNotRepeat:
            raise CouldNotWrite(_("This was settled meanwhile.")) from None
        _note("sent_again", command, by, {"as": again.seq} | (params or {}))


def it_was_done(*, command: Command, by: User) -> None:
    """Raises `CouldNotWrite` where it was settled meanwhile."""
    with transaction.atomic():
        try:
            outbox.it_was_done(command)
        except outbox.CouldNotRepeat:
            raise CouldNotWrite(_("This was settled meanwhile.")) from None
        _note("said_done", command, by)


def set_aside(*, command: Command, by: User) -> None:
    """What was never made goes."""
    with transaction.atomic():
        outbox.mark_seen([command])
        _note("seen", command, by)


def _make_event(organization: Organization, by: User, body: dict[str, Any], copied: Event | None = None) -> Event:
    connection = live(organization, Service.EVENTS)
    if connection is None:
        raise CouldNotWrite(_("Connect an event API first: an event lives there."))
    event = Event(organization=organization, connection=connection)
    [command] = outbox.make("events.create", [(event, body)], by=by)
    after = body | {"command": command.seq} | ({"copy_of": str(copied.pk)} if copied else {})
    audit.record("event.create", target=event, organization=organization, by=by, after=after)
    return event


def _make_classes(event: Event, by: User, bodies: Sequence[dict[str, Any]]) -> list[TicketClass]:
    made = [
        TicketClass(organization_id=event.organization_id, connection_id=event.connection_id, event=event)
        for _body in bodies
    ]
    commands = outbox.make("ticket_classes.create", list(zip(made, bodies, strict=True)), by=by)
    told = [body | {"command": command.seq} for body, command in zip(bodies, commands, strict=True)]
    audit.record_each("ticket_class.create", list(zip(made, told, strict=True)), by=by)
    return made


def _about_event(what: str, event: Event, by: User, body: dict[str, Any]) -> Command:
    before = {name: event.payload.get(name) for name in body} or {"status": event.status}
    command = outbox.put(f"events.{what}", event, by=by, params=body)
    after = (body or {"status": event.status}) | {"command": command.seq}
    audit.record(f"event.{what}", target=event, organization=event.organization, by=by, before=before, after=after)
    return command


def _about_class(what: str, ticket: TicketClass, by: User, body: dict[str, Any]) -> Command:
    with transaction.atomic():
        row = TicketClass.objects.select_for_update(of=("self",)).select_related("event").get(pk=ticket.pk)
        before = {name: row.payload.get(name) for name in body} or {"status": row.status}
        command = outbox.put(f"ticket_classes.{what}", row, by=by, params=body)
        after = (body or {"status": row.status}) | {"command": command.seq}
        audit.record(
            f"ticket_class.{what}", target=row, organization=row.event.organization, by=by, before=before, after=after
        )
    return command


def _locked(organization: Organization, event_id: UUID) -> Event:
    rows = Event.objects.select_for_update(of=("self",)).select_related("organization")
    return rows.get(pk=event_id, organization=organization, connection__live=True)


def _note(verb: str, command: Command, by: User, after: dict[str, Any] | None = None) -> None:
    after = {"command": command.seq} | (after or {})
    audit.record(f"command.{verb}", target=command, organization=command.organization, by=by, after=after)
