"""Who is let in: the index of admissions decides, here and now; the API hears of it by the outbox.

Nothing here waits for the API, the broker or the worker. A scan id asked again gets the verdict of its first time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac

from organizer.accounts import audit
from organizer.accounts.models import AuditEntry, Organization, User
from organizer.attendees import finding, rules, verdicts
from organizer.attendees.models import UNLESS_INSIDE, Admission, Attendee, Scan, StatusCount
from organizer.attendees.verdicts import Inside, Ticket, Verdict
from organizer.events.models import Event
from organizer.kit import quick
from organizer.kit.ids import new_id
from organizer.sync import kicks, mirror, outbox, registry
from organizer.sync.models import Command, Lane
from organizer.sync.rules import moment

DESK = "Check-in desk"
CHECK_IN, UNDO, APPROVE = "attendees.check_in", "attendees.undo_check_in", "attendees.approve"


@dataclass(frozen=True)
class Asked:
    """One act at a door. A guest is meant by a code or, from a list, by the key."""

    organization: Organization
    event_id: UUID
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
        what = f"{self.event_id} {self.attendee_id or ''} {verdicts.stripped(self.code)}"
        return salted_hmac("organizer.attendees.scan", what, algorithm="sha256").hexdigest()


class _SomebodyWasFaster(Exception):
    """The index refused what the row allowed."""


def admit(asked: Asked) -> Scan:
    """The verdict, stored. Whoever asks must have been allowed to work doors. Raises `Event.DoesNotExist`."""
    return once(asked.scan_id, asked.digest, asked.event_id, lambda scan_id: _admit(asked, scan_id))


def is_known(asked: Asked) -> bool:
    """Whether the text is somebody's code; else it may be a name."""
    codes, mine = verdicts.codes(asked.code), Attendee.objects.filter(organization=asked.organization)
    return bool(codes) and mine.filter(Q(barcode__in=codes) | Q(remote_id__in=codes)).exists()


def once(scan_id: UUID, digest: str, event_id: UUID, judge: Callable[[UUID], Scan]) -> Scan:
    try:
        return judge(scan_id)
    except IntegrityError:
        stored = Scan.objects.select_related("admission").filter(pk=scan_id).first()
        if stored is None:
            raise
        if stored.asked == digest and stored.event_id == event_id:
            return stored
        return judge(new_id())  # a page that reuses its id for another ticket: that one is judged too


def _admit(asked: Asked, scan_id: UUID) -> Scan:
    if connection.vendor == "postgresql" and (scan := _in_one_statement(asked, scan_id)):
        return scan
    try:
        with transaction.atomic():
            return _judge(asked, scan_id)
    except _SomebodyWasFaster:
        with transaction.atomic():
            return _judge(asked, scan_id, look=True)


def _in_one_statement(asked: Asked, scan_id: UUID) -> Scan | None:
    """The usual case, on PostgreSQL, for which each trip costs: read without a lock, then written if nothing changed.

    Nothing is written and None is the answer where it is any other case.
    """
    codes = () if asked.attendee_id else verdicts.codes(asked.code)
    found = finding.seen(asked.organization, codes) if codes else []
    if len(found) != 1:
        return None
    [seen] = found
    guest = seen.guest
    is_usual = guest.status == "valid" and not guest.outbox and guest.event_id == asked.event_id
    if not is_usual or verdicts.verdict(_ticket(asked, guest, None), now=asked.now) is not Verdict.ADMITTED:
        return None
    scan = _scan(asked, scan_id, Verdict.ADMITTED, guest.event, guest)
    admission = scan.admission = _admission(asked, guest)
    command = _command(asked, guest)
    command.seq = admission.command_seq = seen.seq
    changes = _shown(asked, guest, command)
    rows = (command, *_counts(guest, changes), _audit_entry(asked, guest, guest.status), scan)
    told = [quick.insert(row, where="FROM written") for row in rows]
    told.append(quick.update(guest, changes, where="AND EXISTS (SELECT FROM written)"))
    first = quick.insert(admission, where="FROM guarded", then=UNLESS_INSIDE)
    if not quick.all_or_none(finding.unchanged(seen, scan), first, told):
        return None
    kicks.send(guest.connection_id)
    return scan


def _judge(asked: Asked, scan_id: UUID, *, look: bool = False) -> Scan:
    guest = _find(asked)
    event = guest.event if guest and guest.event_id == asked.event_id else _event(asked)
    admission = open_admission(guest) if guest and (look or guest.status == "checked_in") else None
    ticket = _ticket(asked, guest, admission) if guest else None
    verdict = verdicts.verdict(ticket, now=asked.now)
    if verdict is Verdict.UNKNOWN and verdicts.is_no_ticket(asked.code):
        verdict = Verdict.NO_TICKET
    if guest and verdict in (Verdict.PENDING, Verdict.INVITED) and asked.approve:
        _approve(asked, guest)
        verdict = Verdict.ADMITTED
    scan = _scan(asked, scan_id, verdict, event, guest)
    if guest and verdict is Verdict.ADMITTED:
        admission = _admission(asked, guest)
        if guest.status == "valid" and not guest.outbox:
            _write_quickly(asked, guest, admission, scan)
            return scan
        _let_in(asked, guest, admission)
    elif admission:
        scan.said |= {"at": admission.at.isoformat(), "door": admission.door, "by": admission.by_name}
    scan.admission = admission
    scan.save(force_insert=True)
    return scan


def _find(asked: Asked) -> Attendee | None:
    """Locked. By code: this event's before another's, one that may come in before one that may not."""
    if asked.attendee_id:
        return next(iter(finding.by_key(asked.organization, asked.event_id, asked.attendee_id)), None)
    codes = verdicts.codes(asked.code)
    found = finding.by_code(asked.organization, codes) if codes else []
    return min(found, key=lambda guest: _nearest(guest, asked.event_id), default=None)


def _nearest(guest: Attendee, event_id: UUID) -> tuple[bool, bool, bool]:
    return guest.event_id != event_id, guest.gone_at is not None, guest.status not in ("valid", "checked_in")


def _event(asked: Asked) -> Event:
    mine = Event.objects.filter(organization=asked.organization, connection__live=True)
    return mine.only("id", "name", "notify_at_check_in").get(pk=asked.event_id)


def open_admission(guest: Attendee) -> Admission | None:
    return Admission.objects.filter(event=guest.event_id, attendee=guest, undone_at=None, left_at=None).first()


def _ticket(asked: Asked, guest: Attendee, admission: Admission | None) -> Ticket:
    inside = None
    if admission:
        here = admission.by_id == asked.by.pk and admission.door == asked.door
        inside = Inside(admission.at, admission.door, admission.by_name, here)
    return Ticket(
        status=guest.status,
        gone=guest.gone_at is not None,
        of_this_event=guest.event_id == asked.event_id,
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
    guest.refresh_from_db()
    before = guest.status
    command = outbox.put(APPROVE, guest, by=asked.by, lane=Lane.DOOR, now=asked.now)
    # not to be undone for a while as other approvals are: the guest stands at the door
    Command.objects.filter(pk=command.pk).update(due_at=asked.now, next_at=asked.now)
    audit.record(
        "attendee.approve", target=guest, organization=asked.organization, by=asked.by,
        before={"status": before}, after={"status": guest.status, "command": command.seq},
    )  # fmt: skip


def _admission(asked: Asked, guest: Attendee) -> Admission:
    return quick.new(
        Admission,
        organization_id=guest.organization_id,
        event_id=guest.event_id,
        attendee_id=guest.pk,
        at=asked.now,
        door=asked.door,
        by_id=asked.by.pk,
        by_name=str(asked.by),
    )


def _let_in(asked: Asked, guest: Attendee, admission: Admission) -> None:
    """The command before the admission, which keeps its number; both or neither are committed."""
    guest.refresh_from_db()
    before = guest.status
    if before != "checked_in":  # else the provider shows it still: an undo that it refused
        params = params_of(guest.event)
        command = outbox.put(CHECK_IN, guest, by=asked.by, lane=Lane.DOOR, params=params, now=asked.now)
        admission.command_seq = command.seq
    audit_entry = _audit_entry(asked, guest, before)
    _only_if_first(quick.run([quick.insert(admission, then=UNLESS_INSIDE), quick.insert(audit_entry)]))
    mirror.refresh(registry.noun("attendees"), [guest])


def _write_quickly(asked: Asked, guest: Attendee, admission: Admission, scan: Scan) -> None:
    """The usual case: nothing else is said of the guest. The same rows as above, in two trips instead of ten."""
    command = _command(asked, guest)
    command.seq = admission.command_seq = quick.returned(quick.insert(command, then="RETURNING seq"))
    changes = _shown(asked, guest, command)
    scan.admission = admission
    rows = (*_counts(guest, changes), _audit_entry(asked, guest, guest.status), scan)
    first, then = quick.insert(admission, then=UNLESS_INSIDE), [quick.insert(row) for row in rows]
    counts = quick.run([first, quick.update(guest, changes), *then])
    _only_if_first(counts)
    kicks.send(guest.connection_id)


def _command(asked: Asked, guest: Attendee) -> Command:
    return outbox.draft(CHECK_IN, guest, by=asked.by, lane=Lane.DOOR, params=params_of(guest.event), now=asked.now)


def _shown(asked: Asked, guest: Attendee, command: Command) -> dict[str, Any]:
    return mirror.laid_over(guest, registry.noun("attendees"), command) | {"door": asked.door}


def _counts(guest: Attendee, changes: dict[str, Any]) -> tuple[StatusCount, StatusCount]:
    of = {"event_id": guest.event_id, "ticket_class_id": guest.ticket_class_id}
    slot = rules.slot_of(changes["status"], changes.get("checked_in_at", guest.checked_in_at))
    return (
        quick.new(StatusCount, **of, status=guest.status, count=-1),
        quick.new(StatusCount, **of, status=changes["status"], slot=slot, door=changes["door"], count=1),
    )


def _only_if_first(counts: Sequence[int]) -> None:
    if not counts[0]:
        raise _SomebodyWasFaster


def _audit_entry(asked: Asked, guest: Attendee, before: str) -> AuditEntry:
    return audit.draft(
        "attendee.check_in", target=guest, organization_id=guest.organization_id, by=asked.by,
        before={"status": before}, after={"status": "checked_in", "door": asked.door},
    )  # fmt: skip


def params_of(event: Event) -> dict[str, Any]:
    return {"notify_guest": True} if event.notify_at_check_in else {}


def _scan(asked: Asked, scan_id: UUID, verdict: Verdict, event: Event, guest: Attendee | None) -> Scan:
    """Not saved yet. Of another event's guest nothing is said."""
    mine = guest if guest and verdict is not Verdict.OTHER_EVENT else None
    said: dict[str, Any] = {}
    if mine:
        said = {"name": mine.name, "class": mine.ticket_class_name, "status": mine.status}
        if verdict == Verdict.RECORDED and mine.checked_in_at:
            said["at"] = mine.checked_in_at.isoformat()
    elif verdict is Verdict.OTHER_EVENT:
        said = {"event": event.name}
    if not mine and asked.code:
        said["code"] = f"…{verdicts.stripped(asked.code)[-4:]}"
    return quick.new(
        Scan, id=scan_id, organization_id=asked.organization.pk, event_id=asked.event_id,
        attendee_id=mine.pk if mine else None, asked=asked.digest, verdict=verdict,
        refused=verdict in verdicts.REFUSALS, said=said, door=asked.door, at=asked.now, by_id=asked.by.pk,
        by_name=str(asked.by),
    )  # fmt: skip
