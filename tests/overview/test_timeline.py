from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from organizer.overview.timeline import LONGEST, MOST_COLUMNS, MOST_TICKS, timeline, window

BERLIN, KATHMANDU = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kathmandu")
START = datetime(2026, 11, 21, 19, 0, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def line(arrivals=None, *, starts_at=START, hours=3, now=START, zone=BERLIN):
    ends_at = starts_at + hours * HOUR if starts_at else None
    return timeline(arrivals or {}, window(starts_at=starts_at, ends_at=ends_at, now=now), now=now, zone=zone)


def said(one):
    return [(stretch.label, stretch.count) for stretch in one.with_somebody]


def test_draws_five_minutes_around_the_start():
    one = line({START - 30 * MINUTE: 6, START - 5 * MINUTE: 61, START: 4}, now=START + 2 * MINUTE)
    assert one.step == 5 * MINUTE
    assert said(one) == [("19:30–19:35", 6), ("19:55–20:00", 61), ("20:00–20:05", 4)]
    assert (one.busiest.count, one.busiest.label) == (61, "19:55–20:00")
    assert [stretch.label for stretch in one.stretches if stretch.is_now] == ["20:00–20:05"]
    assert one.share(one.first) == 0
    assert one.start_mark == 0.5


def test_counts_nobody_twice_and_loses_nobody_of_a_long_day():
    arrivals = {START + n * 5 * MINUTE: n for n in range(1, 300, 7)}
    one = line(arrivals, hours=25, now=START + 24 * HOUR)
    assert one.step == 30 * MINUTE
    assert one.came == sum(stretch.count for stretch in one.stretches) == sum(arrivals.values())


def test_draws_the_last_day_and_a_half_of_what_lasts_longer():
    one = line({START: 5, START + 98 * HOUR: 2}, hours=100, now=START + 99 * HOUR)
    assert one.came == 2
    assert one.start_mark is None
    assert one.last - one.first <= LONGEST


def test_draws_nobody_who_came_days_before():
    assert line({START - 30 * HOUR: 3, START: 1}).came == 1


def test_goes_over_midnight():
    start = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)  # 23:30 in Berlin
    one = line({start - 20 * MINUTE: 1, start + 40 * MINUTE: 2}, starts_at=start, hours=5, now=start + HOUR)
    assert said(one) == [("23:10–23:15", 1), ("00:10–00:15", 2)]
    assert "Sun 00:00" in [tick.text for tick in one.ticks]
    shares = [tick.at for tick in one.ticks]
    assert shares == sorted(shares)


def test_tells_an_hour_that_comes_twice_from_itself():
    summer, winter = (datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1))  # 02:30 in Berlin, both
    one = line({summer: 3, winter: 5}, starts_at=summer, hours=4, now=winter + HOUR)
    assert said(one) == [("02:30 CEST–02:35 CEST", 3), ("02:30 CET–02:35 CET", 5)]
    assert len({tick.text for tick in one.ticks}) == len(one.ticks)


def test_leaves_out_an_hour_that_does_not_come():
    start = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)  # 01:30, and half an hour later 03:00
    one = line({start: 1, start + 30 * MINUTE: 2}, starts_at=start, hours=3, now=start + HOUR)
    assert said(one) == [("01:30 CET–01:35 CET", 1), ("03:00 CEST–03:05 CEST", 2)]


def test_is_empty_without_arrivals():
    one = line(now=START - 5 * HOUR)
    assert one.busiest is None
    assert not one.goes_on
    assert one.now_mark is None
    assert "nobody yet" in one.title


def test_shows_that_nobody_came_lately():
    one = line({START: 5}, now=START + 2 * HOUR)
    assert one.last >= START + 2 * HOUR


def test_ends_with_the_last_guest_of_an_event_that_is_over():
    one = line({START: 5}, now=START + 50 * HOUR)
    assert one.last <= START + HOUR


@pytest.mark.parametrize("hours", [1, 3, 8, 13, 30, 100, 24 * 40])
@pytest.mark.parametrize("zone", [BERLIN, KATHMANDU, ZoneInfo("Australia/Lord_Howe")])
def test_keeps_its_columns_and_ticks_few(hours, zone):
    end = START + hours * HOUR
    one = line({START: 1, end - 5 * MINUTE: 2}, hours=hours, now=end, zone=zone)
    assert len(one.stretches) <= MOST_COLUMNS + 1
    assert 1 <= len(one.ticks) <= MOST_TICKS + 1
    assert one.came == sum(stretch.count for stretch in one.stretches) == (3 if hours <= 30 else 2)
    assert all(0 <= tick.at <= 1 for tick in one.ticks)


def test_says_what_a_column_stands_for():
    assert line({START: 1}).per == "Arrivals per 5 minutes"
    assert line({START + 3 * HOUR: 1}, hours=40, now=START + 38 * HOUR).per == "Arrivals per 30 minutes"


def test_begins_at_round_times_of_the_place():
    one = line({START + 3 * HOUR: 1}, zone=KATHMANDU, hours=40, now=START + 38 * HOUR)
    assert one.clock(one.first)[-2:] in ("00", "30")


@pytest.mark.parametrize("year", [1, 9999])
def test_draws_nothing_by_times_that_are_none(year):
    odd = datetime(year, 12, 31, 23, 59, tzinfo=UTC) if year > 1 else datetime(1, 1, 1, tzinfo=UTC)
    now = START + 2 * MINUTE
    one = timeline({START: 1}, window(starts_at=odd, ends_at=odd, now=now), now=now, zone=BERLIN)
    assert said(one) == [("20:00–20:05", 1)]
