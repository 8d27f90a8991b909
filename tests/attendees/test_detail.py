import pytest

from organizer.attendees.models import Attendee
from tests.support import mirror


@pytest.fixture
def event(cast):
    return mirror.event(mirror.connection(cast.organization))


def page(client, cast, guest):
    client.force_login(cast.olive)
    return client.get(f"/o/harbour/guests/{guest.pk}/").content.decode()


def test_shows_the_apis_object_escaped(client, cast, event):
    guest = mirror.guest(event, first_name="<script>alert(1)</script>", unknown_field={"deep": "</pre><script>"})
    said = page(client, cast, guest)
    assert "unknown_field" in said
    assert "<script>alert" not in said
    assert "</pre><script>" not in said


@pytest.mark.parametrize("name", ["אבי כהן", "🦊🏽‍♀️", 'O\'Brien "Bob" & Co', "‮evil"])
def test_holds_a_name_of_any_script_apart(client, cast, event, name):
    said = page(client, cast, mirror.guest(event, first_name=name, last_name=""))
    assert said.count("<bdi>") >= 2


def test_shows_other_tickets_of_the_same_address(client, cast, event):
    guest = mirror.guest(event, email="two@mail.test", last_name="First")
    mirror.guest(event, email="TWO@mail.test", last_name="Second")
    mirror.guest(event, email="xtwo@mail.test", last_name="Stranger")
    said = page(client, cast, guest)
    assert "Ada Second" in said
    assert "Stranger" not in said


def test_says_what_was_odd(client, cast, event):
    guest = mirror.guest(event)
    Attendee.objects.update(doubts=["checked_in_at was not a time: <soon>"])
    assert "checked_in_at was not a time: &lt;soon&gt;" in page(client, cast, guest)
