"""Admitting and taking back, below the pages."""

import uuid

import pytest

from organizer.accounts.models import AuditEntry
from organizer.attendees import removals
from organizer.attendees.models import Admission, Scan
from organizer.sync.models import Command, Lane, State
from tests.door.acts import admit, undo


def test_lets_a_guest_in_and_tells_the_api(event, guest, cast):
    scan = admit(event, cast.dora, "FOY-ANA")
    assert scan.verdict == "admitted"
    guest.refresh_from_db()
    admission, command = Admission.objects.get(), Command.objects.get()
    assert (guest.status, guest.outbox["state"]) == ("checked_in", "waiting")
    assert (admission.attendee, admission.by_name, admission.command_seq) == (guest, str(cast.dora), command.seq)
    assert (command.kind, command.lane, command.params) == ("attendees.check_in", Lane.DOOR, {})
    assert AuditEntry.objects.filter(verb="attendee.check_in", by=cast.dora).exists()


@pytest.mark.parametrize("text", ["\x02FOY-ANA\x03\r", " FOY-ANA ", "https://tickets.test/t/FOY-ANA", "guest"])
def test_finds_the_guest_by_what_a_scanner_types(event, guest, cast, text):
    text = guest.remote_id if text == "guest" else text
    assert admit(event, cast.dora, text).attendee == guest


def test_says_the_same_to_the_same_scan(event, guest, cast):
    scan_id = uuid.uuid4()
    first = admit(event, cast.dora, "FOY-ANA", scan_id=scan_id)
    again = admit(event, cast.dora, "FOY-ANA", scan_id=scan_id)
    assert (first.verdict, again.verdict, again.pk) == ("admitted", "admitted", scan_id)
    assert Scan.objects.count() == Admission.objects.count() == Command.objects.count() == 1


def test_judges_another_ticket_under_a_reused_id(event, guest, cast):
    scan_id = uuid.uuid4()
    admit(event, cast.dora, "FOY-ANA", scan_id=scan_id)
    assert admit(event, cast.dora, "NOBODY-1", scan_id=scan_id).verdict == "unknown"


def test_says_when_where_and_by_whom_a_guest_came_in(event, guest, cast):
    admit(event, cast.dora, "FOY-ANA", door="North door")
    scan = admit(event, cast.max, "FOY-ANA")
    assert scan.verdict == "already_in"
    assert (scan.said["door"], scan.said["by"]) == ("North door", str(cast.dora))
    assert Command.objects.count() == 1


def test_is_calm_about_the_ticket_that_was_just_admitted_here(event, guest, cast):
    admit(event, cast.dora, "FOY-ANA")
    assert admit(event, cast.dora, "FOY-ANA").verdict == "just_now"


def test_takes_back_what_was_not_sent_as_if_it_had_not_been(event, guest, cast):
    scan = admit(event, cast.dora, "FOY-ANA")
    assert undo(scan, cast.dora).verdict == "undone"
    guest.refresh_from_db()
    assert (guest.status, guest.outbox) == ("valid", {})
    assert [command.state for command in Command.objects.all()] == [State.CANCELLED]
    assert admit(event, cast.dora, "FOY-ANA").verdict == "admitted"


def test_undoes_by_a_command_what_was_on_its_way(event, guest, cast):
    scan = admit(event, cast.dora, "FOY-ANA")
    Command.objects.update(state=State.SENDING, first_at=scan.at)
    undo(scan, cast.dora)
    assert admit(event, cast.dora, "FOY-ANA").verdict == "admitted"
    commands = list(Command.objects.order_by("seq"))
    assert [command.kind.partition(".")[2] for command in commands] == ["check_in", "undo_check_in", "check_in"]
    assert len({command.key for command in commands}) == 3


def test_an_undo_asked_twice_is_one(event, guest, cast):
    scan, scan_id = admit(event, cast.dora, "FOY-ANA"), uuid.uuid4()
    assert {undo(scan, cast.dora, scan_id=scan_id).verdict for _ in range(2)} == {"undone"}
    assert undo(scan, cast.dora).verdict == "not_inside"


def test_approves_first_where_a_manager_says_so(event, guest, cast):
    guest.payload["status"] = guest.status = "pending_approval"
    guest.save()
    assert admit(event, cast.dora, "FOY-ANA").verdict == "pending"
    assert admit(event, cast.max, attendee_id=guest.pk, approve=True).verdict == "admitted"
    commands = list(Command.objects.order_by("seq"))
    assert [command.kind for command in commands] == ["attendees.approve", "attendees.check_in"]
    assert commands[0].next_at <= commands[1].next_at


def test_mails_the_guest_where_the_event_says_so(event, guest, cast):
    removals.remember(event=event, notify_guest=True, by=cast.max)
    admit(event, cast.dora, "FOY-ANA")
    assert Command.objects.get().params == {"notify_guest": True}
