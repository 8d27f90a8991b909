"""When a row that its list does not show any more is gone, and when it is back."""

from organizer.attendees.models import Attendee
from organizer.events.models import Event, TicketClass
from organizer.sync import actions
from organizer.sync.models import Sweep
from organizer.upstream.errors import Broken, Forbidden, Refused, Unreachable
from tests.sync.test_sweeps import counts, sweep


def gone():
    return sorted(Attendee.objects.exclude(gone_at=None).values_list("remote_id", flat=True))


def test_a_row_whose_read_is_404_is_gone(walking, provider):
    provider.add_event()
    rows = provider.add_guests(5)
    walking.until_done()
    del rows[2]
    provider.attendees.rows["e1"] = rows
    walking.again()
    assert provider.attendees.read_by_id == ["t2"]
    assert gone() == ["t2"]
    assert counts() == {"valid": 4}


def test_a_row_that_answers_by_its_id_stays(walking, provider):
    provider.add_event()
    rows = provider.add_guests(5)
    walking.until_done()
    row = rows.pop(2)
    provider.attendees.rows["e1"] = rows
    provider.attendees.hidden["t2"] = row | {"status": "rejected"}
    walking.again()
    assert gone() == []
    assert counts() == {"valid": 4, "rejected": 1}


def test_a_row_that_reappears_is_back(walking, provider):
    provider.add_event()
    rows = provider.add_guests(3)
    walking.until_done()
    provider.attendees.rows["e1"] = rows[1:]
    walking.again()
    assert gone() == ["t0"]
    provider.attendees.rows["e1"] = rows
    walking.again()
    assert gone() == []
    assert counts() == {"valid": 3}


def test_without_a_read_two_whole_walks_must_miss_it(walking, provider):
    def not_allowed(remote_id):
        raise Refused("no", 405, "", [])

    provider.add_event()
    rows = provider.add_guests(3)
    walking.until_done()
    provider.attendees.before_get = not_allowed
    provider.attendees.rows["e1"] = rows[1:]
    walking.again()
    assert gone() == []
    walking.again()
    assert gone() == ["t0"]
    assert counts() == {"valid": 2}


def test_a_forbidden_read_is_no_read(walking, provider):
    def forbidden(remote_id):
        raise Forbidden("no")

    provider.add_event()
    rows = provider.add_guests(3)
    walking.until_done()
    provider.attendees.before_get = forbidden
    provider.attendees.rows["e1"] = rows[1:]
    walking.again()
    assert gone() == []
    walking.again()
    assert gone() == ["t0"]


def test_a_read_that_always_breaks_holds_nothing_up(walking, provider):
    def broken(remote_id):
        raise Broken("500", 500)

    provider.add_event()
    rows = provider.add_guests(3)
    walking.until_done()
    provider.attendees.before_get = broken
    provider.attendees.rows["e1"] = rows[2:]
    walking.again()
    assert gone() == []
    assert sweep().page == 0
    assert sweep().counts["skipped"] == 2
    assert "t0" in sweep().doubts[0]


def test_a_read_that_never_answers_is_left_after_three_tries(walking, provider):
    def silent(remote_id):
        raise Unreachable("silence")

    provider.add_event()
    rows = provider.add_guests(3)
    walking.until_done()
    provider.attendees.before_get = silent
    provider.attendees.rows["e1"] = rows[1:]
    before = sweep().finished_at
    walking.again()
    assert provider.attendees.read_by_id == ["t0"] * 4
    assert gone() == []
    assert sweep().finished_at == sweep().started_at > before


def test_a_list_that_answers_empty_costs_a_bounded_number_of_reads(walking, provider):
    provider.add_event()
    rows = provider.add_guests(120)
    walking.until_done()
    provider.attendees.hidden = {row["id"]: row for row in rows}
    provider.attendees.rows["e1"] = []
    walking.again()
    assert len(provider.attendees.read_by_id) == 50
    walking.again()
    assert len(set(provider.attendees.read_by_id)) == 100
    assert gone() == []
    assert counts() == {"valid": 120}


def test_a_row_that_moved_between_pages_is_not_gone(walking, provider):
    provider.add_event()
    provider.attendees.size = 2
    provider.add_guests(6)
    walking.until_done()
    Sweep.objects.filter(page=0).update(next_at=walking.clock())
    walking.clock.forward(1)
    while sweep().page != 2:
        walking.step()
    del provider.attendees.rows["e1"][0]  # t2 slips to the page that was read already
    walking.until_done()
    assert provider.attendees.read_by_id == ["t2"]
    assert gone() == []
    walking.again()
    assert gone() == ["t0"]


def test_an_event_that_is_gone_is_not_read_under(walking, provider):
    provider.add_event("e1")
    provider.add_event("e2")
    walking.until_done()
    del provider.events.rows[""][0]
    walking.again()
    assert Event.objects.get(remote_id="e1").gone_at
    asked = len(provider.attendees.asked)
    walking.again()
    assert {parent for parent, _, _ in provider.attendees.asked[asked:]} == {"e2"}


def test_rows_long_gone_are_purged(walking, provider, clock):
    provider.add_event()
    rows = provider.add_guests(3)
    walking.until_done()
    provider.attendees.rows["e1"] = rows[1:]
    walking.again()
    clock.forward(89 * 86400)
    assert actions.housekeep(clock()) == 0
    clock.forward(2 * 86400)
    assert actions.housekeep(clock()) == 1
    assert Attendee.objects.count() == 2
    assert counts() == {"valid": 2}


def test_a_deleted_class_that_its_list_hides_is_read_once(walking, provider):
    provider.add_event()
    row = {"id": "c1", "name": "Early", "status": "active"}
    provider.ticket_classes.rows["e1"] = [row]
    walking.until_done()
    provider.ticket_classes.rows["e1"] = []
    provider.ticket_classes.hidden["c1"] = row | {"status": "deleted"}
    walking.again()
    walking.again()
    assert provider.ticket_classes.read_by_id == ["c1"]
    assert TicketClass.objects.get().status == "deleted"
    assert TicketClass.objects.get().gone_at is None
