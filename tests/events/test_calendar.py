"""The calendar's pages: each event on the days of where it takes place."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import override_settings

from organizer.kit import days
from tests.support import mirror

PAGE = "/o/harbour/events/calendar/"
BERLIN = "Europe/Berlin"


@pytest.fixture
def connection(cast):
    return mirror.connection(cast.organization)


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    client.cookies["foyer_zone"] = BERLIN
    return client


def made(connection, name, start, end=None, *, zone=BERLIN, **fields):
    times = {"start": {"utc": f"{start}:00Z", "timezone": zone}, "end": None}
    if end:
        times["end"] = {"utc": f"{end}:00Z", "timezone": zone}
    return mirror.event(connection, name=name, **({"status": "active"} | times | fields))


def calendar(client, **asked):
    answer = client.get(PAGE, asked)
    assert answer.status_code == 200
    return answer.context["calendar"]


def by_day(client, **asked):
    found = calendar(client, **asked).days
    return {str(day.day): [f"{one.times} {one.event.name}" for one in day.entries] for day in found if day.entries}


class TestDays:
    def test_puts_each_event_on_the_day_of_its_place(self, olive, connection):
        made(connection, "Here", "2026-11-20T23:30", "2026-11-21T01:00")
        made(connection, "West", "2026-11-21T04:00", "2026-11-21T06:00", zone="America/Los_Angeles")
        made(connection, "East", "2026-11-20T16:00", "2026-11-20T18:00", zone="Asia/Tokyo")
        assert by_day(olive, month="2026-11") == {
            "2026-11-20": ["20:00–22:00 West"],
            "2026-11-21": ["00:30–02:00 Here", "01:00–03:00 East"],
        }

    def test_says_where_the_persons_clock_differs(self, olive, connection):
        made(connection, "West", "2026-11-21T04:00", "2026-11-21T06:00", zone="America/Los_Angeles")
        said = olive.get(PAGE, {"month": "2026-11"}).content.decode()
        assert "Saturday 05:00 for you · Los Angeles" in said
        assert "Where your clock (Berlin) says another time" in said
        made(connection, "Near", "2026-12-21T04:00", zone="Europe/Paris")
        assert "for you" not in olive.get(PAGE, {"month": "2026-12"}).content.decode()

    def test_goes_over_midnight_and_over_days(self, olive, connection):
        made(connection, "Night", "2026-12-31T21:00", "2027-01-01T02:00")
        made(connection, "Festival", "2026-11-30T09:00", "2026-12-02T17:00")
        assert by_day(olive, month="2026-12") == {
            "2026-11-30": ["10:00 Festival"],
            "2026-12-01": ["all day Festival"],
            "2026-12-02": ["until 18:00 Festival"],
            "2026-12-31": ["22:00–03:00 Night"],
            "2027-01-01": ["until 03:00 Night"],
        }
        assert by_day(olive, week="2026-W49") == {
            "2026-11-30": ["10:00 Festival"],
            "2026-12-01": ["all day Festival"],
            "2026-12-02": ["until 18:00 Festival"],
        }

    def test_shows_what_began_long_before(self, olive, connection):
        made(connection, "Standing", "2020-01-01T09:00", "2031-01-01T09:00")
        assert len(by_day(olive, week="2026-W47")) == 7

    def test_keeps_the_wall_clock_when_the_clocks_change(self, olive, connection):
        made(connection, "Before", "2026-10-24T17:00", "2026-10-24T20:00")
        made(connection, "After", "2026-10-25T18:00", "2026-10-25T21:00")
        assert by_day(olive, month="2026-10") == {
            "2026-10-24": ["19:00–22:00 Before"],
            "2026-10-25": ["19:00–22:00 After"],
        }

    def test_has_leap_days(self, olive, connection):
        made(connection, "Rare", "2028-02-29T10:00")
        assert by_day(olive, month="2028-02") == {"2028-02-29": ["11:00 Rare"]}

    def test_leaves_out_what_has_no_beginning(self, olive, connection):
        mirror.event(connection, name="Some day", start=None, end=None)
        mirror.event(connection, name="Never", start={"utc": "9999-12-31T23:59:00Z", "timezone": "Pacific/Kiritimati"})
        assert by_day(olive, month="2026-11") == {}

    def test_survives_a_zone_that_nobody_knows(self, olive, connection):
        made(connection, "Moon base", "2026-11-21T18:00", zone="Moon/Tycho")
        assert by_day(olive, month="2026-11") == {"2026-11-21": ["18:00 Moon base"]}


class TestStates:
    def test_shows_drafts_and_cancelled_events_as_such(self, olive, connection):
        made(connection, "Idea", "2026-11-10T18:00", status="draft")
        made(connection, "Off", "2026-11-11T18:00", status="cancelled")
        made(connection, "Erased", "2026-11-12T18:00", status="deleted")
        said = olive.get(PAGE, {"month": "2026-11"}).content.decode()
        assert "Draft: </span><bdi>Idea" in said
        assert "Cancelled: </span><bdi>Off" in said
        assert "Erased" not in said

    def test_marks_today_by_the_persons_clock(self, olive, connection):
        olive.cookies["foyer_zone"] = "Pacific/Kiritimati"
        today = (datetime.now(UTC) + timedelta(hours=14)).date()
        marked = [day.day for day in calendar(olive).days if day.is_today]
        assert marked == [today]

    def test_leads_from_a_full_day_to_that_day_in_the_list(self, olive, connection):
        for number in range(6):
            made(connection, f"Tour {number}", f"2026-11-21T0{number + 1}:00")
        made(connection, "Another day", "2026-11-22T09:00")
        said = olive.get(PAGE, {"month": "2026-11"}).content.decode()
        assert "+3 more" in said
        assert 'href="/o/harbour/events/?day=2026-11-21"' in said
        rows = olive.get("/o/harbour/events/", {"day": "2026-11-21"}).context["events"].rows
        assert [row.event.name for row in rows] == [f"Tour {number}" for number in range(6)]

    def test_leaves_nothing_out_where_it_fits(self, olive, connection):
        for number in range(4):
            made(connection, f"Tour {number}", f"2026-11-21T0{number + 1}:00")
        assert "more</a>" not in olive.get(PAGE, {"month": "2026-11"}).content.decode()

    def test_leads_to_the_nearest_event_from_an_empty_month(self, olive, connection):
        made(connection, "Long ago", "2020-05-31T23:30")
        said = olive.get(PAGE, {"month": "2026-11"}).content.decode()
        assert "Nothing this month." in said
        assert "?month=2020-06" in said  # 1 June in Berlin


class TestPages:
    @pytest.mark.parametrize(
        ("asked", "title"),
        [
            ({"month": "2026-11"}, "November 2026"),
            ({"week": "2026-W47"}, "16–22 November 2026"),
            ({"week": "2026-W49"}, "30 November – 6 December 2026"),
            ({"week": "2026-W53"}, "28 December 2026 – 3 January 2027"),
        ],
    )
    def test_says_what_it_shows(self, olive, connection, asked, title):
        assert calendar(olive, **asked).title == title

    @pytest.mark.parametrize(
        "query", ["month=x", "month=9999-99", "week=2026-W99", "week=%00", "month=&week=", "day=x"]
    )
    def test_takes_any_address(self, olive, connection, query):
        assert olive.get(f"{PAGE}?{query}").status_code == 200
        assert olive.get(f"/o/harbour/events/?{query}").status_code == 200

    def test_begins_weeks_as_the_language_does(self):
        found = {}
        for language in ("en", "en-gb", "en-us", "de"):
            with override_settings(LANGUAGE_CODE=language):
                found[language] = days.week_begins()
        assert found == {"en": 0, "en-gb": 0, "en-us": 6, "de": 0}

    def test_leads_on_and_back(self, olive, connection):
        said = olive.get(PAGE, {"month": "2026-12"}).content.decode()
        assert "?month=2026-11" in said
        assert "?month=2027-01" in said
        assert "?week=2026-W53" in said

    def test_asks_as_many_queries_for_many_as_for_one(self, olive, connection, django_assert_max_num_queries):
        for number in range(60):
            mirror.guest(made(connection, f"Event {number}", f"2026-11-{number % 28 + 1:02}T18:00"))
        olive.get(PAGE, {"month": "2026-11"})
        with django_assert_max_num_queries(9):
            olive.get(PAGE, {"month": "2026-11"})

    def test_keeps_another_organizations_events_out(self, olive, cast, connection):
        made(mirror.connection(cast.elsewhere), "Theirs", "2026-11-21T18:00")
        assert by_day(olive, month="2026-11") == {}

    def test_keeps_the_day_through_search_and_tabs(self, olive, connection):
        made(connection, "Gala", "2026-11-21T18:00")
        made(connection, "Gala", "2026-11-22T18:00")
        answer = olive.get("/o/harbour/events/", {"day": "2026-11-21", "q": "gala"})
        assert len(answer.context["events"].rows) == 1
        assert answer.context["day"] == date(2026, 11, 21)
        assert 'href="?tab=upcoming&amp;q=gala&amp;day=2026-11-21"' in answer.content.decode()
