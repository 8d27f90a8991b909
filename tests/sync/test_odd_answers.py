"""Rows and pages as nobody would expect them: what can be taken is taken, the rest is counted and said."""

import pytest

from organizer.attendees.models import Attendee
from organizer.connections.models import Connection
from organizer.sync import mirror, queries, registry
from tests.sync.scripted import guest
from tests.sync.test_sweeps import counts, sweep


@pytest.fixture
def event(provider):
    provider.add_event()


def names():
    return sorted(Attendee.objects.values_list("remote_id", flat=True))


@pytest.mark.parametrize(
    "row", [None, 7, "x", [], {}, {"id": None}, {"id": ""}, {"id": {"a": 1}}, {"id": "x" * 5000, "status": "valid"}]
)
def test_a_row_that_cannot_be_taken_is_counted_and_its_page_is_not_lost(walking, provider, event, connection, row):
    provider.attendees.rows["e1"] = [guest("t1"), row, guest("t2")]
    walking.until_done()
    assert names() == ["t1", "t2"]
    fresh = queries.freshness(connection.organization, "attendees", "e1")
    assert fresh.skipped == 1
    assert fresh.doubts
    assert counts() == {"valid": 2}


def test_a_row_the_database_refuses_is_counted_and_its_page_is_not_lost(walking, provider, event, monkeypatch):
    class Strict(type(registry.noun("attendees"))):
        def effective(self, payload, commands=()):
            if payload["id"] == "t1":
                raise OverflowError
            return super().effective(payload, commands)

    monkeypatch.setitem(registry._nouns, "attendees", Strict())
    provider.add_guests(3)
    walking.until_done()
    assert names() == ["t0", "t2"]
    assert sweep().counts["skipped"] == 1
    assert "t1" in sweep().doubts[0]
    assert counts() == {"valid": 2}


def test_odd_values_become_what_columns_can_hold(walking, provider, event):
    odd = {
        "first_name": "a\x00b", "last_name": "\ud800", "email": 7, "status": "s" * 9000, "created_at": "yesterday",
        "upgrade": [], "company": None, "barcode": ["x"], "checked_in_at": 12, "ticket_class_id": {},
    }  # fmt: skip
    provider.attendees.rows["e1"] = [guest("t1", **odd), guest("t2", status=None), {"id": "t3"}]
    walking.until_done()
    assert names() == ["t1", "t2", "t3"]
    assert Attendee.objects.get(remote_id="t1").name == "a\ufffdb \ufffd"
    assert Attendee.objects.get(remote_id="t1").doubts


def test_unknown_fields_are_kept(walking, provider, event):
    provider.attendees.rows["e1"] = [guest("t1", seat={"row": "Ä", "number": 7})]
    walking.until_done()
    assert Attendee.objects.get().payload["seat"] == {"row": "Ä", "number": 7}


@pytest.mark.parametrize("status", ["teleported", "VALID", "مقبول", ""])
def test_an_unknown_status_is_kept_and_counted(walking, provider, event, status):
    provider.add_guests(2, status=status)
    walking.until_done()
    assert counts() == {status: 2}


def test_a_row_repeated_within_a_page_and_across_pages_is_one(walking, provider, event):
    provider.attendees.size = 3
    rows = [guest("t1"), guest("t2"), guest("t1", status="checked_in")]
    provider.attendees.rows["e1"] = [*rows, guest("t2", status="rejected"), guest("t3")]
    walking.until_done()
    assert names() == ["t1", "t2", "t3"]
    assert counts() == {"checked_in": 1, "rejected": 1, "valid": 1}


class TestWithoutTotalPages:
    def pages_asked(self, provider):
        return [number for _, number, _ in provider.attendees.asked]

    def test_stops_when_the_total_is_reached(self, walking, provider, event):
        provider.attendees.size = 2
        provider.attendees.pagination = lambda total, pages: {"total": total}
        provider.add_guests(4)
        walking.until_done()
        assert self.pages_asked(provider) == [1, 2]

    def test_stops_at_an_empty_page(self, walking, provider, event):
        provider.attendees.size = 2
        provider.attendees.pagination = lambda total, pages: None
        provider.add_guests(4)
        walking.until_done()
        assert self.pages_asked(provider) == [1, 2, 3]

    def test_stops_at_a_page_shorter_than_the_first(self, walking, provider, event):
        provider.attendees.size = 2
        provider.attendees.pagination = lambda total, pages: {"total_pages": "many"}
        provider.add_guests(5)
        walking.until_done()
        assert self.pages_asked(provider) == [1, 2, 3]
        assert len(names()) == 5

    def test_stops_where_the_page_number_is_ignored(self, walking, provider, event):
        provider.attendees.pagination = lambda total, pages: None
        answer = provider.attendees.answer
        provider.attendees.answer = lambda parent, number, status: answer(parent, 1, status)
        provider.add_guests(3)
        walking.until_done()
        assert len(provider.attendees.asked) == 2


def test_a_list_that_never_ends_is_left_and_nothing_is_missing_from_it(walking, provider, event, monkeypatch):
    monkeypatch.setattr("organizer.sync.rules.MAX_PAGES", 4)
    monkeypatch.setattr("organizer.sync.sweeps.MAX_PAGES", 4)
    provider.add_guests(1, first=900)
    walking.until_done()
    provider.attendees.size = 1
    provider.attendees.rows["e1"] = [guest(f"n{number}") for number in range(50)]
    provider.attendees.pagination = lambda total, pages: {"total_pages": 10**9}
    walking.again()
    assert sweep().page == 0
    assert Attendee.objects.get(remote_id="t900").gone_at is None
    assert provider.attendees.read_by_id == []
    assert sweep().doubts == ["The list did not end after 4 pages."]


def test_a_list_that_grows_while_it_is_read_is_read_to_its_end(walking, provider, event):
    provider.attendees.size = 2
    provider.add_guests(4)

    def grow(number, status):
        if number == 2:
            provider.add_guests(3, first=100)

    provider.attendees.before = grow
    walking.until_done()
    assert len(names()) == 7


class TestAPageOlderThanOurWrite:
    def test_is_not_stored_on_the_row(self, walking, provider, event, clock):
        rows = provider.add_guests(2)
        walking.until_done()
        written = Attendee.objects.get(remote_id="t0")
        connection, noun = Connection.objects.get(), registry.noun("attendees")
        item = provider.attendees.read(rows[0] | {"status": "checked_in"})
        read = mirror.Read(connection, "e1", [item], written.generation + 1, clock())
        clock.forward(1)
        Attendee.objects.filter(remote_id="t0").update(written_at=clock())
        stored = mirror.store(noun, read)
        assert stored.changed == 0
        written.refresh_from_db()
        assert written.status == "valid"
        assert written.generation == read.generation  # it was seen: it is not missing

    def test_a_younger_one_is(self, walking, provider, event, clock):
        rows = provider.add_guests(2)
        walking.until_done()
        Attendee.objects.filter(remote_id="t0").update(written_at=clock())
        rows[0]["status"] = "checked_in"
        walking.again()
        assert Attendee.objects.get(remote_id="t0").status == "checked_in"
        assert counts() == {"checked_in": 1, "valid": 1}

    def test_a_read_that_found_nothing_before_it_marks_nothing(self, walking, provider, event, clock):
        provider.add_guests(1)
        walking.until_done()
        asked = clock()
        clock.forward(1)
        Attendee.objects.update(written_at=clock())
        noun, connection = registry.noun("attendees"), Connection.objects.get()
        assert mirror.mark_gone(noun, connection, ["t0"], as_of=asked) == 0
        clock.forward(1)
        assert mirror.mark_gone(noun, connection, ["t0"], as_of=clock()) == 1
