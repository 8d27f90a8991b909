"""The mail of a guest's status once more: by a row that our event server adds, and that others may lack."""

import pytest

from organizer.accounts.models import AuditEntry
from organizer.attendees.models import Attendee
from organizer.sync.models import Command, State
from organizer.upstream.errors import Broken, NotFound
from tests.sync.engine import Engine, state
from tests.sync.scripted import Clock


@pytest.fixture
def engine(event):
    return Engine(event.connection, Clock())


def resend(olive, guest, **said):
    return olive.post(f"/o/harbour/guests/{guest.pk}/resend/", said)


def again(sent):
    return {"data": {"id": sent.path.split("/")[-2], "status": "pending_approval", "first_name": "Ada"}}


def test_asks_the_provider_and_changes_nothing_else(olive, ada, engine):
    resend(olive, ada, custom_message="Dear {first_name}, once more")
    command = Command.objects.get()
    assert (command.mails, Attendee.objects.get().status) == (True, "pending_approval")
    engine.api.script = [again]
    engine.run()
    [sent] = engine.api.sent
    assert (sent.method, sent.path.rsplit("/", 2)[1:]) == ("POST", [ada.remote_id, "resend"])
    assert sent.body == {"custom_message": "Dear Ada, once more"}
    assert (state(command), Attendee.objects.get().status) == (State.DONE, "pending_approval")
    assert AuditEntry.objects.filter(verb="attendee.resend").exists()


def test_is_asked_once_at_a_time(olive, ada):
    assert resend(olive, ada).status_code == 302
    assert resend(olive, ada).status_code == 302
    assert Command.objects.count() == 1


@pytest.mark.parametrize("answer", [Broken("A page.", 404), NotFound("No such thing", "not_found")])
def test_says_where_a_provider_does_not_offer_it(olive, ada, engine, answer):
    resend(olive, ada)
    engine.api.script = [answer]
    engine.run()
    assert len(engine.api.sent) == 1
    page = olive.get(f"/o/harbour/guests/{ada.pk}/").content.decode()
    assert "The mail was not sent again." in page
    assert "it does not offer that" in page


def test_of_a_guest_who_is_gone_says_that(olive, ada, engine):
    resend(olive, ada)
    engine.api.script = [NotFound("Attendee not found", "Attendee not found")]
    engine.run()
    assert Command.objects.get().reason == "It is no longer found at the provider."


def test_is_not_for_the_deleted(olive, ada):
    Attendee.objects.update(status="deleted")
    resend(olive, ada)
    assert not Command.objects.exists()
