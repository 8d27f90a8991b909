from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.upstream.event_api import attendees, events, ticket_classes
from organizer.upstream.wire import NoId, Row
from tests.upstream.test_clean import ANY_JSON

READERS = [events.read, ticket_classes.read, attendees.read]
FIELDS = [
    "id", "name", "status", "start", "venue", "cost", "capacity", "quantity_total", "created_at", "checked_in_at",
    "upgrade", "hidden", "free", "event_id", "email", "minimum_per_order",
]  # fmt: skip
LEAST = {"id": "x1", "name": "Gala", "status": "active"}


@pytest.mark.parametrize("read", READERS)
def test_takes_a_row_with_nothing_but_what_it_needs(read):
    found = read(LEAST)
    assert (found.id, found.doubts) == ("x1", ())


@pytest.mark.parametrize("read", READERS)
def test_keeps_what_it_does_not_know(read):
    row = LEAST | {"new_field": {"of": ["v1", 2]}, "status": "postponed"}
    found = read(row)
    assert found.payload == row
    assert (found.status, found.doubts) == ("postponed", ())


@pytest.mark.parametrize(
    "raw", [{}, {"id": ""}, {"id": None}, {"id": True}, {"id": {}}, {"id": 1.5}, {"id": "x" * 501}, [], None, "x1"]
)
@pytest.mark.parametrize("read", READERS)
def test_cannot_take_a_row_without_an_id(read, raw):
    with pytest.raises(NoId):
        read(raw)


def test_doubts_an_id_that_is_a_number():
    found = events.read(LEAST | {"id": 42})
    assert (found.id, found.doubts) == ("42", ("id was a number",))


def test_cuts_a_word_that_no_index_holds():
    found = attendees.read({"id": "a1", "status": "x" * 5000})
    assert (len(found.status), found.doubts) == (100, ("status was too long and is cut",))
    assert len(found.payload["status"]) == 5000


def test_never_reads_a_number_into_an_id():
    assert events.read(LEAST | {"id": "007"}).id == "007"
    assert events.read(LEAST | {"id": "1e3"}).id == "1e3"


@pytest.mark.parametrize("read", READERS)
@given(row=st.dictionaries(st.sampled_from(FIELDS), ANY_JSON))
def test_takes_any_row(read, row):
    found = read(row | {"id": "x1"})
    assert found.id == "x1"
    assert isinstance(found.status, str)


@pytest.mark.parametrize("read", READERS)
def test_doubts_each_wrong_type(read):
    fields = {"name": [], "status": {}, "created_at": "yesterday", "updated_at": 5}
    found = read({"id": "x1"} | fields)
    assert {doubt.split()[0] for doubt in found.doubts} >= {"status", "created_at", "updated_at"}
    assert found.created_at is None
    assert found.status in ("", "active")


@pytest.mark.parametrize(
    ("value", "amount", "doubted"),
    [
        (0, "0", False),
        (10, "10", False),
        (19.99, "19.99", False),
        (0.1, "0.1", False),
        ("19.99", "19.99", True),
        (1e-9, "0.0000", False),
        (None, "0", False),
        ("free", "0", True),
        (True, "0", True),
        ([], "0", True),
        (10**12, "0", True),
        ("NaN", "0", True),
        ("1e400", "0", True),
    ],
)
def test_reads_money_exactly(value, amount, doubted):
    row = Row({"cost": value})
    assert row.money("cost") == Decimal(amount)
    assert bool(row.doubts) == doubted


@pytest.mark.parametrize(
    ("text", "at", "doubted"),
    [
        ("2026-03-29T01:30:00Z", datetime(2026, 3, 29, 1, 30, tzinfo=UTC), False),
        ("2026-03-29T03:30:00+02:00", datetime(2026, 3, 29, 1, 30, tzinfo=UTC), False),
        ("2026-10-25T02:30:00+02:00", datetime(2026, 10, 25, 0, 30, tzinfo=UTC), False),
        ("2026-10-25T02:30:00+01:00", datetime(2026, 10, 25, 1, 30, tzinfo=UTC), False),
        ("2026-03-29 01:30", datetime(2026, 3, 29, 1, 30, tzinfo=UTC), True),
        ("2026-03-29", datetime(2026, 3, 29, tzinfo=UTC), True),
        ("0001-01-01T00:00:00+14:00", None, True),
        ("9999-12-31T23:59:59-14:00", None, True),
        ("1500-01-01T00:00:00Z", None, True),
        ("2026-13-40T00:00:00Z", None, True),
        ("", None, True),
        (1774747800, None, True),
        (None, None, False),
    ],
)
def test_reads_moments_as_utc(text, at, doubted):
    row = Row({"at": text})
    assert row.moment("at") == at
    assert bool(row.doubts) == doubted


@pytest.mark.parametrize(
    ("value", "number", "doubted"),
    [
        (5, 5, False),
        (5.0, 5, False),
        (5.5, 0, True),
        ("5", 0, True),
        (True, 0, True),
        (2**63, 0, True),
        (None, 0, False),
    ],
)
def test_reads_whole_numbers(value, number, doubted):
    row = Row({"capacity": value})
    assert row.whole("capacity") == number
    assert bool(row.doubts) == doubted


def test_names_a_doubt_inside_an_object():
    found = events.read(LEAST | {"venue": {"name": 5, "latitude": "north"}, "start": {"utc": "soon", "timezone": None}})
    assert set(found.doubts) == {"venue.name was a number", "venue.latitude was no number", "start.utc was no time"}
    assert found.timezone == "UTC"


def test_says_when_text_was_changed():
    found = attendees.read({"id": "a1", "status": "valid", "first_name": "A\x00da"})
    assert found.first_name == "A\ufffdda"
    assert found.payload["first_name"] == "A\ufffdda"
    assert found.doubts[0].startswith("first_name had characters")


def test_loses_no_page_to_one_row(answering):
    rows = [LEAST, {"name": "no id"}, None, LEAST | {"id": "x2", "start": "wrong"}, 5]
    page = answering(json={"data": rows, "pagination": {"total": 5, "total_pages": 1}}).events.page(3)
    assert [event.id for event in page.items] == ["x1", "x2"]
    assert len(page.doubts) == 3
    assert page.doubts[0] == "row 2 of page 3: a row without an id"


@pytest.mark.parametrize("about", [None, {}, [], {"total": "many", "total_pages": -1}])
def test_takes_a_list_without_its_numbers(answering, about):
    page = answering(json={"data": [], "pagination": about}).events.page(1)
    assert (page.items, page.pages, page.total) == ((), None, None)
