"""Guests whom the organizer adds: what a form or a file says of them, and what the outbox is told."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.attendees.models import Attendee
from organizer.events.models import Event, TicketClass
from organizer.sync import outbox
from organizer.sync.models import FAILED, Command

STATUSES = ("valid", "pending_approval", "invited")
KIND = "attendees.add"
MAKERS = (KIND, "attendees.import")


class CouldNotAdd(Exception):
    """`message` is a whole sentence for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def params(
    *,
    ticket_class: TicketClass,
    email: str,
    first_name: str,
    last_name: str,
    status: str,
    payment_method: str = "",
    send_email: bool = False,
) -> dict[str, Any]:
    """What the command keeps; a payment is named only where the class costs something."""
    return {
        "email": email,
        "first_name": first_name,
        "last_name": last_name,
        "ticket_class_id": ticket_class.remote_id or "",
        "ticket_class_name": ticket_class.name,
        "status": status,
        "payment_method": payment_method if ticket_class.cost and not ticket_class.free else "",
        "send_email": send_email,
    }


def row(event: Event, ticket_class_id: Any) -> Attendee:
    """Not saved: what the command says becomes its columns."""
    return Attendee(
        organization_id=event.organization_id,
        connection_id=event.connection_id,
        event=event,
        ticket_class_id=ticket_class_id,
    )


def add(*, event: Event, ticket_class: TicketClass, by: User, params: dict[str, Any]) -> Command:
    """One guest, by hand: due at once."""
    with transaction.atomic():
        guest = row(event, ticket_class.pk)
        command = outbox.make(KIND, [(guest, params)], by=by)[0]
        audit.record(
            "attendee.add",
            target=guest,
            organization=event.organization,
            by=by,
            after={"command": command.seq} | params,
        )
    return command


def refused(guest: Attendee) -> Command | None:
    """The command that should have made this guest and came to nothing."""
    if guest.remote_id is not None:
        return None
    about = Command.objects.filter(noun="attendees", target_id=guest.pk, kind__in=MAKERS)
    return about.filter(state__in=FAILED, seen_at=None).order_by("-seq").first()


def correct(*, guest: Attendee, ticket_class: TicketClass, by: User, params: dict[str, Any]) -> Command:
    """Sent again as the person has changed it. Raises `CouldNotAdd` where somebody was faster."""
    with transaction.atomic():
        command = refused(guest)
        if command is None:
            raise CouldNotAdd(_("It is under way again, or done, already."))
        before = dict(command.params)
        Attendee.objects.filter(pk=guest.pk).update(ticket_class=ticket_class)
        try:
            again = outbox.send_again(command, by=by, params=params)
        except outbox.CouldNotRepeat:
            raise CouldNotAdd(_("It is under way again, or done, already.")) from None
        audit.record(
            "attendee.correct", target=guest, organization=guest.organization, by=by, before=before, after=params
        )
    return again
