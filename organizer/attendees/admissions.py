"""Who is let in: the index of admissions decides, here and now; the API hears of it by the outbox.

Nothing here waits for the API, the broker or the worker. A scan id asked again gets the verdict of its first time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.attendees import rules, verdicts
from organizer.attendees.models import Admission, Attendee, Scan
from organizer.attendees.verdicts import Inside, Ticket, Verdict
from organizer.events.models import Event
from organizer.kit.ids import new_id
from organizer.sync import mirror, outbox, registry
from organizer.sync.models import FAILED, OPEN, Command, Lane
from organizer.sync.rules import moment

DESK = "Check-in desk"
CHECK_IN, UNDO, APPROVE = "attendees.check_in", "attendees.undo_check_in", "attendees.approve"


@dataclass(frozen=True)
class Asked:
    """One act at a door. `event` is of the organization; a guest is meant by a code or, from a list, by the key."""

    event: Event
    by: User
    scan_id: UUID
    code: str = ""
    attendee_id: UUID | None = None
    door: str = DESK
    approve: bool = False
    """A manager lets in who waits: approved first, then checked in."""
    now: datetime = field(default_factory=timezone.now)

    @property
    def digest(self) -> str:
        what = f"{self.event.pk} {self.attendee_id or ''} {verdicts.stripped(self.code)}"
        return salted_hmac("organizer.attendees.scan", what, algorithm="sha256").hexdigest()


class _SomebodyWasFaster(Exception):
    """The index refused what the row allowed."""


def admit(asked: Asked) -> Scan:
    """The verdict, stored. Whoever asks must have been allowed to work this event's door."""
    return _once(asked.scan_id, asked.digest, asked.event, lambda scan_id: _admit(asked, scan_id))


def is_known(asked: Asked) -> bool:
    """Whether the text is somebody's code; else it may be a name."""
    codes, mine = verdicts.codes(asked.code), Attendee.objects.filter(organization=asked.event.organization_id)
    return bool(codes) and mine.filter(Q(barcode__in=codes) | Q(remote_id__in=codes)).exists()


def undo(*, event: Event, admission_id: UUID, scan_id: UUID, by: User, door: str = DESK) -> Scan:
    """The guest can be scanned again. What the API was told, or is being told, is taken back there too."""
    digest = salted_hmac("organizer.attendees.undo", str(admission_id), algorithm="sha256").hexdigest()
    return _once(scan_id, digest, event, lambda fresh: _undo(event, admission_id, fresh, digest, by, door))


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
        admission = _open_admission(guest)
        _forget_failures(guest)
        if admission is not None and not _is_told(guest):
            command = outbox.put(CHECK_IN, guest, by=by, lane=Lane.DOOR, params=_params(guest.event))
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


# --- admitting ---


def _once(scan_id: UUID, digest: str, event: Event, judge: Any) -> Scan:
    try:
        return judge(scan_id)
    except IntegrityError:
        stored = Scan.objects.select_related("admission").filter(pk=scan_id).first()
        if stored is None:
            raise
        if stored.asked == digest and stored.event_id == event.pk:
            return stored
        return judge(new_id())  # a page that reuses its id for another ticket: that one is judged too


def _admit(asked: Asked, scan_id: UUID) -> Scan:
    try:
        with transaction.atomic():
            return _judge(asked, scan_id)
    except _SomebodyWasFaster:
        with transaction.atomic():
            return _judge(asked, scan_id, look=True)


def _judge(asked: Asked, scan_id: UUID, *, look: bool = False) -> Scan:
    guest = _find(asked)
    admission = _open_admission(guest) if guest and (look or guest.status == "checked_in") else None
    ticket = _ticket(asked, guest, admission) if guest else None
    verdict = verdicts.verdict(ticket, now=asked.now)
    if verdict is Verdict.UNKNOWN and verdicts.is_no_ticket(asked.code):
        verdict = Verdict.NO_TICKET
    if guest and verdict in (Verdict.PENDING, Verdict.INVITED) and asked.approve:
        _approve(asked, guest)
        verdict = Verdict.ADMITTED
    if guest and verdict is Verdict.ADMITTED:
        admission = _let_in(asked, guest)
    return _store(asked, scan_id, verdict, guest, admission)


def _find(asked: Asked) -> Attendee | None:
    """By code: this event's before another's, one that may come in before one that may not."""
    guests = _locked(asked.event.organization_id)
    if asked.attendee_id:
        return guests.filter(pk=asked.attendee_id, event=asked.event).first()
    codes = verdicts.codes(asked.code)
    if not codes:
        return None
    found = list(guests.filter(barcode__in=codes)) or list(guests.filter(remote_id__in=codes))
    return min(found, key=lambda guest: _nearest(guest, asked.event), default=None)


def _nearest(guest: Attendee, event: Event) -> tuple[bool, bool, bool]:
    return guest.event_id != event.pk, guest.gone_at is not None, guest.status not in ("valid", "checked_in")


def _locked(organization: Organization | UUID) -> Any:
    mine = Attendee.objects.filter(organization=organization, connection__live=True)
    joined = mine.select_related("event").defer("event__payload", "event__search", "event__doubts", "event__outbox")
    return joined.select_for_update(of=("self",)).order_by("pk")


def _open_admission(guest: Attendee) -> Admission | None:
    return Admission.objects.filter(event=guest.event_id, attendee=guest, undone_at=None, left_at=None).first()


def _ticket(asked: Asked, guest: Attendee, admission: Admission | None) -> Ticket:
    inside = None
    if admission:
        here = admission.by_id == asked.by.pk and admission.door == asked.door
        inside = Inside(admission.at, admission.door, admission.by_name, here)
    return Ticket(
        status=guest.status,
        gone=guest.gone_at is not None,
        of_this_event=guest.event_id == asked.event.pk,
        inside=inside,
        removed_here=inside is None and guest.status == "checked_in" and _was_removed_here(guest),
    )


def _was_removed_here(guest: Attendee) -> bool:
    """What the provider still shows is what was taken back here, and not somebody else's check-in since."""
    undone = Admission.objects.filter(attendee=guest, undone_at__isnull=False).order_by("-undone_at").first()
    if undone is None or undone.undone_at is None:
        return False
    shown = moment(guest.payload.get("checked_in_at"))
    return shown is None or shown <= undone.undone_at


def _approve(asked: Asked, guest: Attendee) -> None:
    before = guest.status
    command = outbox.put(APPROVE, guest, by=asked.by, lane=Lane.DOOR, now=asked.now)
    # not to be undone for a while as other approvals are: the guest stands at the door
    Command.objects.filter(pk=command.pk).update(due_at=asked.now, next_at=asked.now)
    audit.record(
        "attendee.approve", target=guest, organization=asked.event.organization, by=asked.by,
        before={"status": before}, after={"status": guest.status, "command": command.seq},
    )  # fmt: skip


def _let_in(asked: Asked, guest: Attendee) -> Admission:
    """The command before the admission, which keeps its number; both or neither are committed."""
    command, before = None, guest.status
    if before != "checked_in":  # else the provider shows it still: an undo that it refused
        params = _params(guest.event)
        command = outbox.put(CHECK_IN, guest, by=asked.by, lane=Lane.DOOR, params=params, now=asked.now)
    admission = Admission(
        organization_id=guest.organization_id,
        event_id=guest.event_id,
        attendee=guest,
        at=asked.now,
        door=asked.door,
        by=asked.by,
        by_name=str(asked.by),
        command_seq=command.seq if command else None,
    )
    if not Admission.objects.insert(admission):
        raise _SomebodyWasFaster
    audit.record(
        "attendee.check_in", target=guest, organization=asked.event.organization, by=asked.by,
        before={"status": before}, after={"status": "checked_in", "door": asked.door},
    )  # fmt: skip
    return admission


def _params(event: Event) -> dict[str, Any]:
    return {"notify_guest": True} if event.notify_at_check_in else {}


def _store(asked: Asked, scan_id: UUID, verdict: Verdict, guest: Attendee | None, admission: Admission | None) -> Scan:
    mine = guest if guest and verdict is not Verdict.OTHER_EVENT else None
    said: dict[str, Any] = {}
    if mine:
        said = {"name": mine.name, "class": mine.ticket_class_name, "status": mine.status, "email": mine.email}
        said["email"] = verdicts.masked(mine.email)
    if mine and admission and verdict is not Verdict.ADMITTED:
        said |= {"at": admission.at.isoformat(), "door": admission.door, "by": admission.by_name}
    scan = Scan(
        id=scan_id, organization_id=asked.event.organization_id, event=asked.event, attendee=mine,
        admission=admission, asked=asked.digest, verdict=verdict, said=said, door=asked.door, at=asked.now,
        by=asked.by, by_name=str(asked.by),
    )  # fmt: skip
    scan.save(force_insert=True)
    return scan


# --- taking back ---


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
