"""What the provider makes of a check-in: refused, undone, found out later. Nobody is put out again by itself."""

import pytest

from organizer.attendees import removals
from organizer.attendees.models import Admission
from organizer.sync import mirror as engine_mirror
from organizer.sync import registry
from organizer.sync.models import Command
from organizer.upstream.errors import Refused
from tests.door.acts import admit, undo
from tests.door.test_desk import HTMX, address
from tests.sync.engine import Engine
from tests.sync.scripted import Clock

REFUSED = Refused("Invalid status transition", 422, "Invalid status transition", [])


@pytest.fixture
def engine(event, guest):
    engine = Engine(event.connection, Clock())
    engine.api.known[guest.remote_id] = guest.payload
    return engine


@pytest.fixture
def page(client, cast, event):
    client.force_login(cast.dora)
    return lambda name="desk": client.get(address(event, name), **HTMX).content.decode()


def test_undo_and_again_change_the_api_each_time(engine, event, guest, cast):
    for _round in range(2):
        scan = admit(event, cast.dora, "FOY-ANA")
        assert scan.verdict == "admitted"
        engine.run()
        undo(scan, cast.dora)
        engine.run()
    assert [body["status"] for body in engine.bodies] == ["checked_in", "valid", "checked_in", "valid"]
    assert len({sent.key for sent in engine.api.sent}) == 4
    guest.refresh_from_db()
    assert (guest.status, guest.outbox) == ("valid", {})


def test_a_refused_check_in_stays_and_is_flagged(engine, event, guest, cast, page):
    admit(event, cast.dora, "FOY-ANA")
    engine.api.script = [REFUSED]
    engine.run()
    guest.refresh_from_db()
    assert (guest.status, guest.outbox["state"], guest.needs_attention) == ("checked_in", "refused", True)
    assert admit(event, cast.max, "FOY-ANA").verdict == "already_in"
    text = page()
    assert "1 needs attention" in text
    assert "the ticket provider refused the check-in" in text
    assert "Invalid status transition" in text


def test_sends_again_what_was_refused(engine, event, guest, cast, client, page):
    admit(event, cast.dora, "FOY-ANA")
    engine.api.script = [REFUSED]
    engine.run()
    page()
    client.post(address(event, "send_again"), {"attendee_id": guest.pk})
    engine.run()
    guest.refresh_from_db()
    assert (guest.status, guest.outbox, guest.needs_attention) == ("checked_in", {}, False)
    assert Admission.objects.get().command_seq == Command.objects.latest("seq").seq
    assert len({sent.key for sent in engine.api.sent}) == 2
    assert "needs attention" not in page()


def test_removes_here_what_was_refused_without_asking_the_api(engine, event, guest, cast):
    scan = admit(event, cast.dora, "FOY-ANA")
    engine.api.script = [REFUSED]
    engine.run()
    assert undo(scan, cast.dora).verdict == "undone"
    engine.run()
    guest.refresh_from_db()
    assert (guest.status, guest.outbox, guest.needs_attention) == ("valid", {}, False)
    assert len(engine.api.sent) == 1


def test_a_refused_undo_is_removed_here_only(engine, event, guest, cast, page):
    scan = admit(event, cast.dora, "FOY-ANA")
    engine.run()
    undo(scan, cast.dora)
    engine.api.script = [REFUSED]
    engine.run()
    assert "Removed here only. The ticket provider still shows Ana Silva as checked in." in page()
    assert admit(event, cast.dora, "FOY-ANA").verdict == "admitted"
    engine.run()
    assert len(engine.api.sent) == 2  # the provider shows it still: there is nothing to tell
    assert Admission.objects.filter(undone_at=None).count() == 1


def test_a_removed_check_in_that_was_read_about_is_quiet(engine, event, guest, cast, client, page):
    scan = admit(event, cast.dora, "FOY-ANA")
    engine.run()
    undo(scan, cast.dora)
    engine.api.script = [REFUSED]
    engine.run()
    page()
    client.post(address(event, "seen"), {"attendee_id": guest.pk})
    assert "Removed here only" not in page()


def test_a_check_in_that_the_provider_undid_is_kept_and_flagged(engine, event, guest, cast, client, page):
    admit(event, cast.dora, "FOY-ANA")
    engine.run()
    guest.refresh_from_db()
    guest.payload |= {"status": "valid"}
    engine_mirror.refresh(registry.noun("attendees"), [guest])
    guest.refresh_from_db()
    assert (guest.status, guest.outbox["state"]) == ("checked_in", "unrecorded")
    assert "the ticket provider says not checked in" in page()
    removals.record_again(organization=event.organization, attendee=guest, by=cast.dora)
    engine.run()
    assert "needs attention" not in page()


def test_somebody_elses_check_in_is_asked_about(event, guest, cast):
    guest.payload |= {"status": "checked_in", "checked_in_at": "2026-01-01T10:00:00Z"}
    engine_mirror.refresh(registry.noun("attendees"), [guest])
    assert admit(event, cast.dora, "FOY-ANA").verdict == "recorded"
    assert not Admission.objects.exists()
