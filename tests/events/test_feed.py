"""A member's calendar for programs: read back by a parser, and closed to everybody without the address."""

import hashlib
import logging
import re
from datetime import UTC, datetime, timedelta

import icalendar
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from organizer.accounts.models import AuditEntry, Membership, Role
from organizer.events.models import CalendarFeed
from organizer.kit import logs
from tests.support import mirror

SETTINGS = "/o/harbour/events/calendar/feed/"


@pytest.fixture
def connection(cast):
    return mirror.connection(cast.organization)


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


def make(client):
    """The address, as the page shows it once."""
    answer = client.post(f"{SETTINGS}new/")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    return re.search(r'value="(http://testserver/calendar/[^"]+\.ics)"', answer.content.decode())[1]


def fetch(address, **headers):
    return Client().get(address, headers=headers)


def events(address):
    answer = fetch(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    return {str(one["summary"]): one for one in icalendar.Calendar.from_ical(answer.content).walk("VEVENT")}


class TestAddress:
    def test_is_shown_once_and_kept_nowhere(self, olive):
        address = make(olive)
        token = address.rpartition("/")[2].removesuffix(".ics")
        assert len(token.removeprefix("foy_cal_")) * 6 >= 256
        kept = CalendarFeed.objects.get()
        assert kept.token_hash == hashlib.sha256(token.encode()).hexdigest()
        assert token not in olive.get(SETTINGS).content.decode()
        assert token not in "".join(repr(row) for row in AuditEntry.objects.values_list())

    def test_ends_with_the_next_one(self, olive, connection):
        first, second = make(olive), make(olive)
        assert fetch(first).status_code == 404
        assert fetch(second).status_code == 200
        assert list(AuditEntry.objects.order_by("id").values_list("verb", flat=True))[-2:] == [
            "calendar_address.made",
            "calendar_address.renewed",
        ]

    def test_is_switched_off(self, olive):
        address = make(olive)
        assert olive.post(f"{SETTINGS}off/").status_code == 302
        assert fetch(address).status_code == 404
        assert AuditEntry.objects.order_by("id").last().verb == "calendar_address.switched_off"

    def test_ends_with_the_membership(self, olive, cast):
        address = make(olive)
        Membership.objects.get(user=cast.olive).delete()
        assert fetch(address).status_code == 404

    def test_ends_with_the_right_to_see_events(self, olive, cast):
        address = make(olive)
        Membership.objects.filter(user=cast.olive).update(role=Role.DOOR)
        assert fetch(address).status_code == 404
        Membership.objects.filter(user=cast.olive).update(role=Role.VIEWER)
        assert fetch(address).status_code == 200

    def test_ends_with_the_person(self, olive, cast):
        address = make(olive)
        cast.olive.is_active = False
        cast.olive.save()
        assert fetch(address).status_code == 404

    @pytest.mark.parametrize("token", ["foy_cal_wrong", "x", "foy_cal_" + "A" * 43])
    def test_is_not_guessed(self, db, token):
        assert fetch(reverse("ics", args=[token])).status_code == 404

    def test_belongs_to_one_person(self, olive, cast):
        address = make(olive)
        other = Client()
        other.force_login(cast.max)
        assert make(other) != address
        assert fetch(address).status_code == 200
        assert other.post(f"{SETTINGS}off/").status_code == 302
        assert fetch(address).status_code == 200

    def test_stands_in_no_log(self, olive, caplog):
        """Django words the path of whatever it refuses; so do programs in front of it."""
        address = make(olive)
        olive.post(f"{SETTINGS}off/")
        with caplog.at_level(logging.DEBUG):
            fetch(address)
        token = address.rpartition("/")[2].removesuffix(".ics")
        lines = []
        for record in caplog.records:
            logs.RedactSecrets().filter(record)
            lines.append(logs.JsonFormatter().format(record))
        assert any("/calendar/foy_cal_" in line for line in lines)
        assert not [line for line in lines if token in line]

    def test_costs_two_queries_and_no_session(self, olive, connection, django_assert_num_queries):
        for number in range(20):
            mirror.event(connection, name=f"Event {number}")
        address = make(olive)
        fetch(address)
        with django_assert_num_queries(2):
            answer = fetch(address)
        assert "Set-Cookie" not in answer.headers
        with django_assert_num_queries(1):
            fetch(reverse("ics", args=["foy_cal_wrong"]))


class TestCaching:
    def test_is_not_sent_twice(self, olive, connection):
        event = mirror.event(connection, name="Gala")
        address = make(olive)
        first = fetch(address)
        again = fetch(address, if_none_match=first["ETag"])
        assert (again.status_code, again.content) == (304, b"")
        squeezed = Client().get(address, headers={"if-none-match": f"W/{first['ETag']}", "accept-encoding": "gzip"})
        assert squeezed.status_code == 304
        event.name = "Grand gala"
        event.save()
        assert fetch(address, if_none_match=first["ETag"]).status_code == 200

    def test_is_for_no_one_else_to_keep_or_find(self, olive):
        answer = fetch(make(olive))
        assert answer["Cache-Control"] == "private, no-cache"
        assert answer["X-Robots-Tag"] == "none"

    def test_is_noted_once_an_hour(self, olive):
        address = make(olive)
        assert CalendarFeed.objects.get().fetched_at is None
        fetch(address)
        noted = CalendarFeed.objects.get().fetched_at
        fetch(address)
        assert CalendarFeed.objects.get().fetched_at == noted
        assert "A calendar last read it" in olive.get(SETTINGS).content.decode()


class TestEvents:
    def test_says_when_where_and_how_it_stands(self, olive, connection):
        start = {"utc": "2026-11-21T19:00:00Z", "timezone": "Europe/Berlin"}
        end = {"utc": "2026-11-21T22:30:00Z", "timezone": "Europe/Berlin"}
        event = mirror.event(connection, name="Gala", start=start, end=end, updated_at="2026-11-01T12:00:00Z")
        found = events(make(olive))["Gala"]
        assert found["uid"] == str(event.pk)
        assert found.decoded("dtstart") == datetime(2026, 11, 21, 19, tzinfo=UTC)
        assert found.decoded("dtend") == datetime(2026, 11, 21, 22, 30, tzinfo=UTC)
        assert found.decoded("last-modified") == datetime(2026, 11, 1, 12, tzinfo=UTC)
        assert str(found["location"]) == "Harbour Hall, Hamburg"
        assert str(found["description"]) == "Saturday 21 November 2026, 20:00, Berlin"
        assert str(found["url"]) == f"http://testserver/o/harbour/events/{event.pk}/"
        assert str(found["status"]) == "CONFIRMED"

    def test_keeps_what_was_cancelled_and_leaves_drafts_out(self, olive, connection):
        mirror.event(connection, name="Off", status="cancelled")
        mirror.event(connection, name="Idea", status="draft")
        mirror.event(connection, name="Erased", status="deleted")
        mirror.event(connection, name="Some day", start=None, end=None)
        found = events(make(olive))
        assert set(found) == {"Off"}
        assert str(found["Off"]["status"]) == "CANCELLED"

    def test_counts_changes_upward_under_one_name(self, olive, connection):
        event = mirror.event(connection, name="Gala", updated_at="2026-11-01T12:00:00Z")
        address = make(olive)
        before = events(address)["Gala"]
        event.payload["updated_at"] = "2026-11-01T12:00:01Z"
        event.save()
        after = events(address)["Gala"]
        assert after["uid"] == before["uid"]
        assert after["sequence"] > before["sequence"]

    @pytest.mark.parametrize(
        "name",
        [
            "Jazz, Blues; and \\ more",
            "First line\nsecond line",
            "🎷" * 60,
            "موسيقى الليل",
            "BEGIN:VEVENT\r\nSUMMARY:not an event",
            "x" * 300,
        ],
    )
    def test_says_any_name_whole(self, olive, connection, name):
        mirror.event(connection, name=name, venue={"name": name})
        address = make(olive)
        assert list(events(address)) == [name.replace("\r\n", "\n")]
        lines = fetch(address).content.split(b"\r\n")
        assert max(map(len, lines)) <= 75
        assert "".join(line.decode() for line in lines)  # no character is cut in two

    def test_leaves_out_what_no_calendar_may_hold(self, olive, connection):
        mirror.event(connection, name="Bell\x07 and \x1bescape")
        assert list(events(make(olive))) == ["Bell and escape"]

    @pytest.mark.parametrize("said", [None, "yesterday", 5, "0001-01-01T00:00:00Z"])
    def test_lives_with_odd_times_of_change(self, olive, connection, said):
        mirror.event(connection, name="Gala", updated_at=said)
        assert events(make(olive))["Gala"]["sequence"] == 0

    def test_has_no_end_where_there_is_none(self, olive, connection):
        start = {"utc": (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ"), "timezone": "UTC"}
        mirror.event(connection, name="Open end", start=start, end=None)
        assert "dtend" not in events(make(olive))["Open end"]

    def test_goes_back_a_year(self, olive, connection):
        for name, ago in (("Recent", 300), ("Old", 400)):
            at = (timezone.now() - timedelta(days=ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
            mirror.event(connection, name=name, start={"utc": at, "timezone": "UTC"}, end=None)
        assert set(events(make(olive))) == {"Recent"}

    def test_keeps_another_organizations_events_out(self, olive, cast, connection):
        mirror.event(mirror.connection(cast.elsewhere), name="Theirs")
        assert events(make(olive)) == {}
