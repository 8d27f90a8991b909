from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from organizer.events.rules import FAR_FUTURE, effective, effective_class, rhythm

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["utc", "timezone", "name"]), inner),
    max_leaves=5,
)
EVENT = {
    "name": "Frühlingsfest",
    "status": "active",
    "start": {"utc": "2026-11-21T18:00:00Z", "timezone": "Europe/Berlin"},
    "end": {"utc": None, "timezone": "Europe/Berlin"},
    "venue": {"name": "Halle 7", "city": "Berlin", "address": "Weg 1"},
    "currency": "eur",
    "capacity": 250,
}


def test_maps_an_event():
    columns = effective(EVENT)
    assert columns.starts_at == columns.sort_start == datetime(2026, 11, 21, 18, tzinfo=UTC)
    assert (columns.ends_at, columns.timezone, columns.place) == (None, "Europe/Berlin", "Halle 7, Berlin")
    assert (columns.currency, columns.capacity, columns.search) == (
        "EUR",
        250,
        " fruhlingsfest\nhalle\u00a07,\u00a0berlin",
    )


def test_an_event_without_a_start_sorts_last():
    assert effective({"name": "Someday"}).sort_start == FAR_FUTURE


def test_a_virtual_event_is_at_its_link():
    assert effective({"video_link": "https://meet.example/1", "venue": None}).place == "https://meet.example/1"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "America", 7, None, "", "\x00"])
def test_an_unknown_zone_is_utc(zone):
    assert effective({"start": {"timezone": zone}}).timezone == "UTC"


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_a_time_that_some_zone_cannot_show_is_no_time(year):
    assert effective({"start": {"utc": f"{year}-12-31T23:59:59Z"}}).starts_at is None


@pytest.mark.parametrize(
    ("cost", "expected"),
    [(12.5, "12.5"), ("19.99", "19.99"), (None, "0"), (-3, "0"), ("free", "0"), (10**30, "999999999999.9999")],
)
def test_money_is_decimal_and_fits(cost, expected):
    assert effective_class({"cost": cost}).cost == Decimal(expected)


def test_a_class_that_costs_nothing_is_free():
    assert effective_class({"price": 0}).free
    assert not effective_class({"cost": 0, "free": False}).free


def test_counts_fit_the_database():
    assert effective({"capacity": 10**30}).capacity == 2**63 - 1
    assert effective({"capacity": -1}).capacity == 0
    assert effective({"capacity": "50"}).capacity == 50


@pytest.mark.parametrize(
    ("start", "end", "every"),
    [
        (-1, 3, timedelta(minutes=1)),
        (1, None, timedelta(minutes=1)),
        (-13, None, timedelta(minutes=1)),
        (48, 50, timedelta(minutes=5)),
        (-48, -40, timedelta(days=1)),
        (-48, None, timedelta(days=1)),
        (None, None, timedelta(minutes=5)),
    ],
)
def test_reads_the_guests_of_an_event_by_its_time(start, end, every):
    def at(hours):
        return None if hours is None else NOW + timedelta(hours=hours)

    assert rhythm(starts_at=at(start), ends_at=at(end), now=NOW).every == every


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([*EVENT, "tickets_sold", "hidden", "url", "video_link"]), json_values))
def test_never_fails_on_odd_values(payload):
    columns = effective(payload)
    assert columns.name
    assert 0 <= columns.capacity < 2**63


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(["name", "cost", "price", "free", "quantity_total", "sales_start"]), json_values)
)
def test_a_class_never_fails_on_odd_values(payload):
    assert effective_class(payload).cost >= 0
