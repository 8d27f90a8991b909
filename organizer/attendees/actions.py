"""Decisions about guests: shown at once, audited, and put into the outbox, in one transaction."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.attendees import rules
from organizer.attendees.models import Attendee
from organizer.connections.queries import live
from organizer.sync import batches, outbox, registry
from organizer.sync.models import OPEN, Batch, Command


class CouldNotDecide(Exception):
    """`message` is a whole sentence for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class CouldNotWord(CouldNotDecide):
    """The message cannot go to this guest."""


def decide(
    *, organization: Organization, attendee_id: UUID, kind: str, seen: str, by: User, params: dict[str, Any]
) -> Command:
    """`kind` is approve, reject, return or delete; `seen` is the status that the person decided upon ("" for any).

    Raises `Attendee.DoesNotExist`, `CouldNotDecide` where somebody else was faster or it is of no use, and
    `CouldNotWord` for its message, whose placeholders are filled in here.
    """
    with transaction.atomic():
        guest = locked(organization, attendee_id)
        name = guest.name or guest.email
        if seen and guest.status != seen:
            raise CouldNotDecide(_too_late(guest, name, by))
        of = registry.kind(f"attendees.{kind}")
        if why := of.refusal(guest):
            raise CouldNotDecide(f"{name} {why}.")
        own = of.own_params([guest], params)[0]
        if isinstance(own, str):
            raise CouldNotWord(own)
        params, before = own, guest.status
        command = outbox.put(of.name, guest, by=by, params=params)
        after = {"status": guest.status, "command": command.seq} | params
        audit.record(
            f"attendee.{kind}", target=guest, organization=organization, by=by, before={"status": before}, after=after
        )
    return command


def decide_about_many(
    *, organization: Organization, ids: Sequence[UUID], kind: str, by: User, params: dict[str, Any]
) -> Batch:
    """One batch; each guest for whom it is of no use is told with the reason. Raises `CouldNotDecide`."""
    connection = live(organization, "events")
    if connection is None:
        raise CouldNotDecide(_("Not connected."))
    with transaction.atomic():
        batch = batches.start(f"attendees.{kind}", ids, connection=connection, by=by, params=params)
        audit.record(
            f"attendees.{kind}", target=batch, organization=organization, by=by, after={"guests": batch.total} | params
        )
    return batch


def resend(*, organization: Organization, attendee_id: UUID, by: User, message: str) -> Command:
    """The mail of the guest's status once more. Raises as `decide` does."""
    of = registry.kind("attendees.resend")
    with transaction.atomic():
        guest = locked(organization, attendee_id)
        if why := of.refusal(guest):
            raise CouldNotDecide(f"{guest} {why}.")
        if Command.objects.filter(noun="attendees", target_id=guest.pk, kind=of.name, state__in=OPEN).exists():
            raise CouldNotDecide(_("The mail is being sent again already."))
        own = of.own_params([guest], {"custom_message": message})[0]
        if isinstance(own, str):
            raise CouldNotWord(own)
        command = outbox.put(of.name, guest, by=by, params=own)
        audit.record("attendee.resend", target=guest, organization=organization, by=by, after={"command": command.seq})
    return command


def mark_seen(*, command: Command, by: User) -> None:
    """A person has read why it came to nothing."""
    with transaction.atomic():
        _note("attendee.seen", command, by)  # before: a guest who was never made goes
        outbox.mark_seen([command])


def send_again(*, command: Command, by: User) -> Command:
    """A refused or parked one, by a person who knows what may have been done. Raises `CouldNotDecide`."""
    with transaction.atomic():
        try:
            again = outbox.send_again(command, by=by)
        except outbox.CouldNotRepeat:
            raise CouldNotDecide(_("It is under way again, or done, already.")) from None
        _note("attendee.send_again", command, by)
    return again


def it_was_done(*, command: Command, by: User) -> None:
    """A person knows that it had its effect. Raises `CouldNotDecide`."""
    with transaction.atomic():
        try:
            _note("attendee.it_was_done", command, by)
            outbox.it_was_done(command)
        except outbox.CouldNotRepeat:
            raise CouldNotDecide(_("It is under way again, or done, already.")) from None


def cancel(*, batch: Batch, by: User) -> None:
    """Takes back what is not on its way; before the batch is due that is all of it."""
    with transaction.atomic():
        batches.cancel(batch)
        audit.record("attendees.cancel", target=batch, organization=batch.organization, by=by)


def mark_batch_seen(*, batch: Batch, by: User) -> None:
    with transaction.atomic():
        Batch.objects.filter(pk=batch.pk, seen_at=None).update(seen_at=timezone.now())
        audit.record("attendees.seen", target=batch, organization=batch.organization, by=by)


def retry(*, batch: Batch, by: User) -> int:
    """Sends again what the API refused; answers how many."""
    with transaction.atomic():
        number = batches.retry(batch, by=by)
        audit.record("attendees.retry", target=batch, organization=batch.organization, by=by, after={"guests": number})
    return number


def undo(*, command: Command, by: User) -> bool:
    """False where it was on its way already."""
    with transaction.atomic():
        if not outbox.take_back([command]):
            return False
        _note("attendee.undo", command, by)
    return True


def locked(organization: Organization, attendee_id: UUID) -> Attendee:
    """Call it in a transaction. Another organization's guest does not exist."""
    mine = Attendee.objects.filter(organization=organization, connection__live=True)
    return mine.select_related("event").select_for_update(of=("self",)).get(pk=attendee_id)


def _note(verb: str, command: Command, by: User) -> None:
    guest = Attendee.objects.select_related("organization").get(pk=command.target_id)
    after = {"kind": command.kind, "command": command.seq}
    audit.record(verb, target=guest, organization=guest.organization, by=by, after=after)


def _too_late(guest: Attendee, name: str, by: User) -> str:
    who = guest.outbox.get("by")
    words = {"name": name, "who": who or _("somebody else"), "status": rules.in_words(guest.status)}
    if who == str(by):
        return _("%(name)s is %(status)s already: you decided it before. Nothing was changed.") % words
    return _("%(name)s is %(status)s by now (%(who)s was faster). Nothing was changed.") % words
