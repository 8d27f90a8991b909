"""What becomes of a walk when the API answers something else than a page."""

import pytest

from organizer.attendees.models import Attendee
from organizer.connections.models import Health
from organizer.sync import queries
from organizer.upstream.errors import (
    Broken,
    Forbidden,
    KeyRefused,
    Limited,
    NotFound,
    NotYet,
    Refused,
    ScopeMissing,
    Unreachable,
)
from tests.sync.test_sweeps import sweep


def failing(error, at=1, times=10**9):
    left = [times]

    def before(number, status):
        if number == at and left[0]:
            left[0] -= 1
            raise error

    return before


@pytest.fixture
def guests(provider, walking):
    """One event with three pages of guests; events and classes are read."""
    provider.add_event()
    provider.attendees.size = 2
    provider.add_guests(6)
    walking.step()
    walking.step()
    return provider.attendees


@pytest.mark.parametrize("error", [NotYet(3.5), Limited(3.5)])
def test_a_limit_is_waited_for_and_is_no_failure(walking, guests, error):
    guests.before = failing(error, at=2, times=1)
    walking.step()
    assert walking.step() == 2.5  # the last second is waited out in place
    assert (sweep().page, sweep().failures, sweep().problem) == (2, 0, "")
    walking.clock.forward(3.5)
    walking.until_done()
    assert [number for _, number, _ in guests.asked] == [1, 2, 2, 3]


@pytest.mark.parametrize("error", [Unreachable("No answer within 30 s."), Broken("It answered 500.", 500)])
def test_goes_on_from_its_page_when_it_answers_again(walking, guests, connection, error):
    guests.before = failing(error, at=2, times=2)
    walking.step()
    walking.step()
    assert (sweep().page, sweep().failures, sweep().problem) == (2, 1, str(error))
    for _ in range(5):
        walking.clock.forward(61)
        walking.until_done()
    assert [number for _, number, _ in guests.asked][:5] == [1, 2, 2, 2, 3]
    assert (sweep().failures, sweep().problem) == (0, "")
    assert Attendee.objects.count() == 6


def test_backs_off_longer_and_longer_to_a_minute(walking, guests):
    guests.before = failing(Unreachable("silence"))
    waits = []
    for _ in range(9):
        waits.append(walking.step())
        walking.clock.forward(100)
        walking.connection.sweeps.exclude(noun="attendees").update(next_at=None)
    assert waits == [2, 4, 8, 16, 32, 60, 60, 60, 60]


def test_an_unreachable_provider_is_said_on_every_list(walking, guests, connection):
    guests.before = failing(Unreachable("No answer within 30 s."))
    walking.step()
    fresh = queries.freshness(connection.organization, "events")
    assert fresh.stale
    assert fresh.problem == "The event API is not answering."
    assert fresh.read_at


def test_it_is_working_again_with_the_first_answer(walking, guests, connection):
    guests.before = failing(Unreachable("silence"), times=1)
    walking.step()
    connection.refresh_from_db()
    assert connection.health == Health.UNREACHABLE
    walking.clock.forward(10)
    walking.step()
    connection.refresh_from_db()
    assert connection.health == Health.WORKING


def test_one_list_that_breaks_does_not_hold_the_others(walking, provider, guests):
    provider.add_event("e2")
    provider.add_guests(3, "e2", first=100)

    def broken(number, status):
        if guests.asked[-1][0] == "e1":
            raise Broken("It answered 500.", 500)

    guests.before = broken
    walking.again()
    assert Attendee.objects.filter(event__remote_id="e2").count() == 3


def test_one_page_that_breaks_for_ever_does_not_hold_the_list(walking, guests, connection):
    guests.before = failing(Broken("It answered 500.", 500), at=2)
    walking.until_done()
    while not Attendee.objects.filter(remote_id="t4").exists():
        assert [number for _, number, _ in guests.asked].count(2) <= 10
        walking.clock.forward(61)
        walking.connection.sweeps.filter(noun="events").update(next_at=walking.clock())  # what else there is answers
        walking.until_done()
    assert Attendee.objects.count() == 4
    assert "Page 2" in queries.freshness(connection.organization, "attendees", "e1").doubts[0]


def test_no_page_is_left_while_nothing_answers(walking, provider, guests):
    walking.step()
    error = Broken("It answered 502.", 502)
    guests.before = failing(error, at=2)
    provider.events.before = provider.ticket_classes.before = failing(error)
    for _ in range(40):
        walking.clock.forward(61)
        walking.step()
    assert sweep().page == 2


def test_a_refused_key_stops_the_walk_and_is_said(walking, guests, connection):
    guests.before = failing(KeyRefused("Invalid or revoked API key"), at=2)
    walking.step()
    assert walking.step() is None
    connection.refresh_from_db()
    assert connection.health == Health.KEY_REFUSED
    assert sweep().page == 2
    assert not queries.to_walk(walking.clock()).exists()


def test_a_new_key_goes_on_from_the_page(walking, guests, connection):
    guests.before = failing(KeyRefused("Invalid or revoked API key"), at=2, times=1)
    walking.step()
    walking.step()
    connection.health = Health.WORKING
    connection.save()
    walking.connection.refresh_from_db()
    walking.until_done()
    assert [number for _, number, _ in guests.asked] == [1, 2, 2, 3]


def test_a_missing_scope_holds_only_what_needs_it(walking, provider, guests, connection):
    guests.before = failing(ScopeMissing("no", "attendees:read"))
    walking.until_done()
    connection.refresh_from_db()
    assert connection.scopes["attendees:read"] == "denied"
    asked = len(guests.asked)
    walking.again()
    assert len(guests.asked) == asked
    assert [number for _, number, _ in provider.events.asked] == [1, 1]


def test_a_scope_that_a_new_key_has_is_used_at_once(walking, guests, connection):
    guests.before = failing(ScopeMissing("no", "attendees:read"), times=1)
    walking.until_done()
    connection.refresh_from_db()
    connection.scopes = {}
    connection.save()
    walking.connection.refresh_from_db()
    walking.until_done()
    assert Attendee.objects.count() == 6


def test_a_parent_that_is_not_found_is_no_failure_of_the_connection(walking, guests, connection):
    guests.before = failing(NotFound("Event not found"))
    assert walking.step() == 0
    connection.refresh_from_db()
    assert connection.health == Health.WORKING
    assert sweep().problem == "Event not found"
    assert sweep().page == 0


@pytest.mark.parametrize("error", [Forbidden("no"), Refused("no", 410, "", [])])
def test_a_refusal_is_said_and_tried_again_later(walking, guests, error):
    guests.before = failing(error, times=1)
    assert walking.step() == 0
    assert sweep().problem == "no"
    assert walking.step() is None
    walking.clock.forward(3)
    walking.until_done()
    assert Attendee.objects.count() == 6


class TestAStatusFilterThatIsRefused:
    @pytest.fixture(autouse=True)
    def provider_refuses(self, guests):
        def refuse(number, status):
            if "rejected" in status or "deleted" in status:
                raise Refused("Validation failed", 400, "Validation failed", [])

        guests.before = refuse
        guests.visible = lambda row, status: row["status"] in status.split(",")

    def test_is_remembered_and_the_rest_is_asked_for(self, walking, guests, connection):
        walking.until_done()
        assert Attendee.objects.count() == 6
        connection.refresh_from_db()
        assert connection.quirks == {"attendees.status": "valid,checked_in,pending_approval,invited"}
        asked = len(guests.asked)
        walking.again()
        assert all("rejected" not in status for _, _, status in guests.asked[asked:])

    def test_a_guest_rejected_there_is_read_by_its_id(self, walking, guests):
        walking.until_done()
        guests.rows["e1"][3]["status"] = "rejected"
        walking.again()
        assert Attendee.objects.get(remote_id="t3").status == "rejected"
        assert Attendee.objects.get(remote_id="t3").gone_at is None
        assert guests.read_by_id == ["t3"]

    def test_is_not_remembered_when_the_rest_is_refused_too(self, walking, guests, connection):
        guests.before = failing(Refused("Validation failed", 400, "Validation failed", []))
        walking.until_done(10)
        connection.refresh_from_db()
        assert connection.quirks == {}
        assert sweep().problem == "Validation failed"
