"""What a guest is told when their ticket moves: one text per target."""

from servers.event_api.models import Attendee
from servers.event_api.rules import Status
from servers.mail import actions as mail
from servers.mail.models import OutgoingMail

_TEXTS: dict[Status, tuple[str, str]] = {
    Status.VALID: ("you are in", "Your ticket is confirmed. Show this code at the door: {barcode}"),
    Status.CHECKED_IN: ("welcome", "You are checked in. Enjoy the event."),
    Status.PENDING: ("your request is being looked at", "Your ticket waits for the organizer's approval."),
    Status.REJECTED: ("not this time", "The organizer could not offer you a ticket this time."),
    Status.DELETED: ("your ticket was cancelled", "Your ticket {barcode} is no longer valid."),
    Status.INVITED: ("you are invited", "The organizer has invited you."),
}


def queue(attendee: Attendee, target: Status, message: str) -> OutgoingMail:
    event = attendee.event
    headline, sentence = _TEXTS[target]
    name = attendee.first_name or "there"
    parts = [f"Hello {name},", sentence.format(barcode=attendee.barcode), message.strip(), f"{event.name}"]
    return mail.queue(
        organization=event.organization,
        to=attendee.email,
        subject=f"{event.name}: {headline}",
        text="\n\n".join(part for part in parts if part) + "\n",
    )
