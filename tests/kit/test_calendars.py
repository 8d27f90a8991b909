"""Months, weeks and days: a few that are known, and what holds of every one."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.kit.calendars import DAY, FIRST_YEAR, LAST_YEAR, MONDAY, SUNDAY, Month, Week, day_named, days_of

DAYS = st.dates(date(FIRST_YEAR, 1, 8), date(LAST_YEAR, 12, 20))
WEEKDAYS = st.integers(0, 6)
ZONES = st.sampled_from(
    ["UTC", "Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu",
     "America/Sao_Paulo", "Australia/Lord_Howe", "America/Havana"]
).map(ZoneInfo)  # fmt: skip
MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59), timezones=st.just(UTC))  # noqa: DTZ001


class TestMonth:
    @given(DAYS, WEEKDAYS)
    def test_has_each_of_its_days_once_in_whole_weeks(self, day, begins):
        month = Month.of(day, begins)
        days = [one for week in month.weeks for one in week.days]
        assert [one for one in days if one.month == day.month] == [
            month.first + n * DAY for n in range((month.last - month.first).days + 1)
        ]
        assert {week.first.weekday() for week in month.weeks} == {begins}
        assert all(later - earlier == DAY for earlier, later in pairwise(days))
        assert 4 <= len(month.weeks) <= 6

    @given(DAYS, WEEKDAYS)
    def test_is_found_again_by_its_name_and_its_neighbours(self, day, begins):
        month = Month.of(day, begins)
        assert Month.parse(str(month), begins) == month
        assert month.next is None or month.next.previous == month
        assert month.next is None or month.next.first - month.last == DAY

    @pytest.mark.parametrize(
        ("name", "last", "weeks"),
        [("2024-02", 29, 5), ("2026-02", 28, 5), ("2000-02", 29, 5), ("2027-02", 28, 4), ("2026-08", 31, 6)],
    )
    def test_knows_leap_years(self, name, last, weeks):
        month = Month.parse(name)
        assert month.last.day == last
        assert len(month.weeks) == weeks

    def test_ends_where_its_calendar_ends(self):
        assert Month.parse("1900-01").previous is None
        assert Month.parse("2999-12").next is None


class TestWeek:
    @given(DAYS, WEEKDAYS)
    def test_has_the_day_that_it_is_of(self, day, begins):
        week = Week.of(day, begins)
        assert day in week.days
        assert week.first.weekday() == begins

    @given(DAYS, WEEKDAYS)
    def test_is_found_again_by_its_name_and_its_neighbours(self, day, begins):
        week = Week.of(day, begins)
        assert Week.parse(str(week), begins) == week
        assert week.next is None or week.next.previous == week

    @given(DAYS)
    def test_is_named_as_iso_names_it(self, day):
        year, number, _ = day.isocalendar()
        assert str(Week.of(day)) == f"{year:04}-W{number:02}"

    @pytest.mark.parametrize(
        ("day", "begins", "name"),
        [
            (date(2026, 12, 31), MONDAY, "2026-W53"),
            (date(2027, 1, 3), MONDAY, "2026-W53"),
            (date(2027, 1, 4), MONDAY, "2027-W01"),
            (date(2024, 12, 30), MONDAY, "2025-W01"),
            (date(2027, 1, 3), SUNDAY, "2027-W01"),
            (date(2024, 2, 29), SUNDAY, "2024-W09"),
        ],
    )
    def test_at_the_ends_of_years(self, day, begins, name):
        assert str(Week.of(day, begins)) == name


class TestDaysOf:
    @given(MOMENTS, st.timedeltas(timedelta(0), timedelta(days=900)), ZONES)
    def test_goes_from_the_day_of_the_beginning_to_that_of_the_last_moment(self, start, lasts, zone):
        if start.year > 9990:
            lasts = timedelta(0)
        first, last = days_of(start, start + lasts, zone)
        assert first <= last
        assert (last - first) <= lasts + 2 * DAY
        if 2 < start.year < 9000:
            assert first == start.astimezone(zone).date()

    @pytest.mark.parametrize(
        ("start", "end", "days"),
        [
            ("2026-11-21 18:00", "2026-11-21 23:00", ("2026-11-21", "2026-11-21")),  # ends at midnight in Berlin
            ("2026-11-21 18:00", "2026-11-21 23:01", ("2026-11-21", "2026-11-22")),
            ("2026-11-21 23:00", "2026-11-22 22:00", ("2026-11-22", "2026-11-22")),  # begins at midnight
            ("2026-12-31 20:00", "2027-01-01 03:00", ("2026-12-31", "2027-01-01")),
            ("2024-02-28 20:00", "2024-02-29 03:00", ("2024-02-28", "2024-02-29")),
            ("2026-03-28 22:30", "2026-03-29 22:00", ("2026-03-28", "2026-03-29")),  # a day of 23 hours
            ("2026-10-24 22:30", "2026-10-25 23:00", ("2026-10-25", "2026-10-25")),  # a day of 25 hours
            ("2026-11-21 18:00", "2026-11-20 18:00", ("2026-11-21", "2026-11-21")),  # ends before it begins
        ],
    )
    def test_by_the_clock_of_the_place(self, start, end, days):
        berlin = ZoneInfo("Europe/Berlin")
        found = days_of(*(datetime.fromisoformat(at).replace(tzinfo=UTC) for at in (start, end)), berlin)
        assert tuple(map(str, found)) == days

    def test_without_an_end_is_one_day(self):
        assert days_of(datetime(2026, 11, 21, 23, tzinfo=UTC), None, UTC) == (date(2026, 11, 21), date(2026, 11, 21))


@given(st.text(max_size=12))
def test_takes_any_text_for_a_name(text):
    for read in (Month.parse, Week.parse, day_named):
        assert read(text) is None or str(read(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "2026-13", "2026-00", "2026-W54", "2026-W00", "2025-W53", "26-11", "0000-01", "9999-12", "2026-1",
     "2026-11-31", "２０２６-11", "2026-11\n", "now"],
)  # fmt: skip
def test_knows_what_is_none(text):
    assert Month.parse(text) is None
    assert Week.parse(text) is None
    assert day_named(text) is None
