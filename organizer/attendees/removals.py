"""Taking a check-in back, and settling what the provider does not agree to."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.attendees import rules
from organizer.attendees.admissions import CHECK_IN, DESK, UNDO, once, open_admission, params_of
from organizer.attendees.models import Admission, Attendee, Scan
from organizer.attendees.verdicts import Verdict
from organizer.events.models import Event
from organizer.sync import mirror, outbox, registry
from organizer.sync.models import FAILED, OPEN, Command, Lane


def undo(*, event: Event, admission_id: UUID, scan_id: UUID, by: User, door: str = DESK) -> Scan:
    """The guest can be scanned again. What the API was told, or is being told, is taken back there too."""
    digest = salted_hmac("organizer.attendees.undo", str(admission_id), algorithm="sha256").hexdigest()
    return once(scan_id, digest, event.pk, lambda fresh: _undo(event, admission_id, fresh, digest, by, door))


def remember(*, event: Event, notify_guest: bool, by: User) -> None:
    """Whether the provider mails who is let in (decision D39)."""
    with transaction.atomic():
        row = Event.objects.select_for_update().get(pk=event.pk)
        before, row.notify_at_check_in = row.notify_at_check_in, notify_guest
        row.save(update_fields=["notify_at_check_in"])
        changed = {"before": {"notify_guest": before}, "after": {"notify_guest": notify_guest}}
        audit.record("event.notify_at_check_in", target=row, organization=row.organization, by=by, **changed)


def record_again(*, organization: Organization, attendee: Attendee, by: User) -> bool:
    """The API is asked once more for what holds here. False where there is nothing to ask."""
    with transaction.atomic():
        guest = _locked(organization).get(pk=attendee.pk)
        admission = open_admission(guest)
        _forget_failures(guest)
        if admission is not None and not _is_told(guest):
            command = outbox.put(CHECK_IN, guest, by=by, lane=Lane.DOOR, params=params_of(guest.event))
            Admission.objects.filter(pk=admission.pk).update(command_seq=command.seq)
        elif admission is None and _is_recorded(guest) and not _is_told(guest):
            command = outbox.put(UNDO, guest, by=by, lane=Lane.DOOR)
        else:
            return False
        audit.record(
            "attendee.send_again", target=guest, organization=organization, by=by, after={"command": command.seq}
        )
    return True


def note_seen(*, organization: Organization, attendee: Attendee, by: User) -> None:
    """Somebody has read that the provider still shows a removed check-in."""
    with transaction.atomic():
        guest = _locked(organization).get(pk=attendee.pk)
        _forget_failures(guest)
        audit.record("attendee.seen", target=guest, organization=organization, by=by)


def _undo(event: Event, admission_id: UUID, scan_id: UUID, digest: str, by: User, door: str) -> Scan:
    now = timezone.now()
    with transaction.atomic():
        admission = Admission.objects.filter(event=event, pk=admission_id).first()
        guest = _locked(event.organization_id).filter(pk=admission.attendee_id).first() if admission else None
        still = Admission.objects.filter(pk=admission_id, undone_at=None)
        undone = guest is not None and bool(still.update(undone_at=now, undone_by_name=str(by)))
        if guest and undone:
            before = guest.status
            _take_back(guest, by, now)
            audit.record(
                "attendee.undo_check_in", target=guest, organization=event.organization, by=by,
                before={"status": before}, after={"status": guest.status, "door": door},
            )  # fmt: skip
        verdict = Verdict.UNDONE if undone else Verdict.NOT_INSIDE
        said = {"name": guest.name, "class": guest.ticket_class_name} if guest else {}
        scan = Scan(
            id=scan_id, organization_id=event.organization_id, event=event, attendee=guest, admission=admission,
            asked=digest, verdict=verdict, said=said, door=door, at=now, by=by, by_name=str(by),
        )  # fmt: skip
        scan.save(force_insert=True)
    return scan


def _locked(organization: Organization | UUID) -> Any:
    mine = Attendee.objects.filter(organization=organization, connection__live=True).select_related("event")
    return mine.select_for_update(of=("self",))


def _take_back(guest: Attendee, by: User, now: datetime) -> None:
    """What was not on its way goes as if it had not been; what may have been done is undone by a write of its own."""
    _forget_failures(guest)
    outbox.take_back(_commands(guest, CHECK_IN, OPEN))
    guest.refresh_from_db()
    mirror.refresh(registry.noun("attendees"), [guest])
    if _is_recorded(guest) or _commands(guest, CHECK_IN, OPEN):
        outbox.put(UNDO, guest, by=by, lane=Lane.DOOR, now=now)


def _forget_failures(guest: Attendee) -> None:
    """Whoever acts upon a refusal has seen it."""
    failed = Command.objects.filter(noun="attendees", target_id=guest.pk, state__in=FAILED, seen_at=None)
    outbox.mark_seen(failed.filter(kind__in=(CHECK_IN, UNDO))[:1])
    guest.refresh_from_db()


def _commands(guest: Attendee, kind: str, states: Sequence[str]) -> list[Command]:
    about = Command.objects.filter(noun="attendees", target_id=guest.pk, kind=kind, state__in=states)
    return list(about.order_by("seq"))


def _is_recorded(guest: Attendee) -> bool:
    return rules.effective(guest.payload).status == "checked_in"


def _is_told(guest: Attendee) -> bool:
    """Whether something about this guest is on its way already."""
    return bool(_commands(guest, CHECK_IN, OPEN) or _commands(guest, UNDO, OPEN))
