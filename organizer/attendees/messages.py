"""The organization's messages to guests: kept by name, filled in for each guest when it is decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import prefetch_related_objects
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.attendees import wording
from organizer.attendees.models import Attendee, MessageTemplate
from organizer.events.models import Event
from organizer.kit import days
from organizer.kit.text import fold


def templates(organization: Organization) -> Sequence[MessageTemplate]:
    return list(MessageTemplate.objects.filter(organization=organization).order_by("sort_name", "id"))


def template(organization: Organization, template_id: UUID) -> MessageTemplate | None:
    return MessageTemplate.objects.filter(organization=organization, pk=template_id).first()


def keep(*, kept: MessageTemplate, by: User, before: dict[str, Any]) -> None:
    """A new one, or one that was changed; `before` is what it said."""
    with transaction.atomic():
        kept.sort_name = fold(kept.name)
        kept.updated_at, kept.updated_by_name = timezone.now(), str(by)
        kept.save()
        after = {"name": kept.name, "text": kept.text}
        audit.record("message.keep", target=kept, organization=kept.organization, by=by, before=before, after=after)


def remove(*, kept: MessageTemplate, by: User) -> None:
    with transaction.atomic():
        before = {"name": kept.name, "text": kept.text}
        audit.record("message.remove", target=kept, organization=kept.organization, by=by, before=before)
        kept.delete()


def problem(text: str) -> str:
    """Why this cannot be a message, as a sentence; "" where it can."""
    try:
        wording.placeholders(text)
    except wording.Unknown as unknown:
        known = ", ".join(f"{{{name}}}" for name in wording.PLACEHOLDERS)
        said = {"said": unknown.said, "known": known}
        return _("“%(said)s” is no placeholder. There are %(known)s; for a brace itself write {{ or }}.") % said
    return ""


def values(guest: Attendee) -> dict[str, str]:
    event: Event = guest.event
    return {
        "first_name": guest.first_name,
        "last_name": guest.last_name,
        "name": guest.name,
        "email": guest.email,
        "event": event.name,
        "event_date": _date(event),
        "event_place": event.place,
        "ticket_class": guest.ticket_class_name,
    }


@dataclass(frozen=True)
class Shown:
    """A message as one guest would get it, or why it would not go."""

    guest: Attendee
    text: str
    problem: str


def shown(text: str, guests: Sequence[Attendee]) -> Sequence[Shown]:
    each = worded(guests, {"custom_message": text})
    return [
        Shown(guest, "", own) if isinstance(own, str) else Shown(guest, str(own["custom_message"]), "")
        for guest, own in zip(guests, each, strict=True)
    ]


def worded(guests: Sequence[Attendee], params: dict[str, Any]) -> list[dict[str, Any] | str]:
    """Each guest's own params; a text says why the guest cannot have the message."""
    text = str(params.get("custom_message", ""))
    if "{" not in text and "}" not in text:
        return [params for _guest in guests]
    prefetch_related_objects(list(guests), "event")
    return [_own(guest, params, text) for guest in guests]


def too_long(error: wording.TooLong) -> str:
    said = {"length": _grouped(error.length), "most": _grouped(wording.LONGEST_MESSAGE)}
    return _("The message has %(length)s characters once it is filled in; %(most)s is the most.") % said


def _own(guest: Attendee, params: dict[str, Any], text: str) -> dict[str, Any] | str:
    try:
        return params | {"custom_message": wording.fill(text, values(guest))}
    except wording.TooLong as error:
        return too_long(error)
    except wording.Unknown:
        return problem(text)


def _grouped(number: int) -> str:
    return number_format(number, force_grouping=True)


def _date(event: Event) -> str:
    if event.starts_at is None:
        return _("a date to be announced")
    return date_format(event.starts_at.astimezone(days.zone_named(event.timezone)), "l, j F Y, H:i")
