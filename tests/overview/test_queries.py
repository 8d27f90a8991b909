from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from organizer.attendees.models import Attendee, StatusCount
from organizer.connections.models import Connection
from organizer.events.models import Event
from organizer.overview.queries import overview
from organizer.sync.models import Sweep

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def connection(cast):
    return connect(cast.organization)


def connect(organization, **fields):
    return Connection.objects.create(organization=organization, service="events", url="https://x/", **fields)


def event(connection, name, starts_at, *, hours=3, counts=None, **fields):
    ends_at = starts_at + hours * HOUR if starts_at and hours else None
    made = Event.objects.create(
        organization=connection.organization,
        connection=connection,
        remote_id=name,
        name=name,
        starts_at=starts_at,
        ends_at=ends_at,
        **{"status": "active", "sort_start": starts_at or NOW} | fields,
    )
    StatusCount.objects.bulk_create(StatusCount(event=made, status=k, count=v) for k, v in (counts or {}).items())
    return made


def names(rows):
    return [row.event.name for row in rows]


def test_tells_today_from_later(cast, connection):
    event(connection, "over", NOW - 5 * HOUR, hours=2)
    event(connection, "live", NOW - HOUR)
    event(connection, "tonight", NOW + 3 * HOUR)
    event(connection, "tomorrow", NOW + 24 * HOUR)
    event(connection, "yesterday", NOW - 40 * HOUR)
    event(connection, "since yesterday", NOW - 20 * HOUR, hours=30)
    said = overview(cast.organization, now=NOW)
    assert names(said.today) == ["since yesterday", "over", "live", "tonight"]
    assert names(said.live) == ["since yesterday", "live"]
    assert names(said.featured) == ["since yesterday", "live"]
    assert names(said.also_today) == ["over", "tonight"]
    assert names(said.coming) == ["tomorrow"]


def test_begins_the_day_where_the_person_is(cast, connection):
    event(connection, "after midnight in Berlin", NOW + 6 * HOUR)
    assert names(overview(cast.organization, now=NOW).coming) == ["after midnight in Berlin"]
    with timezone.override(ZoneInfo("America/New_York")):
        assert names(overview(cast.organization, now=NOW).today) == ["after midnight in Berlin"]


def test_features_what_comes_first_where_nothing_is_live(cast, connection):
    event(connection, "later", NOW + 4 * HOUR)
    event(connection, "first", NOW + 2 * HOUR)
    assert names(overview(cast.organization, now=NOW).featured) == ["first"]


@pytest.mark.parametrize("status", ["cancelled", "deleted", "draft"])
def test_leaves_out_what_does_not_take_place(cast, connection, status):
    event(connection, "x", NOW + HOUR, status=status)
    assert not overview(cast.organization, now=NOW).today


def test_leaves_out_what_is_gone_or_of_another_connection(cast, connection):
    event(connection, "gone", NOW, gone_at=NOW)
    event(connect(cast.organization, live=False), "old", NOW)
    event(connect(cast.elsewhere), "theirs", NOW)
    said = overview(cast.organization, now=NOW)
    assert not said.has_events
    assert not said.today


def test_takes_an_event_without_an_end_or_a_start(cast, connection):
    event(connection, "open end", NOW - HOUR, hours=0)
    event(connection, "no start", None)
    said = overview(cast.organization, now=NOW)
    assert names(said.live) == ["open end"]


def test_counts_from_what_is_kept(cast, connection):
    counts = {"valid": 836, "checked_in": 412, "pending_approval": 22, "rejected": 3, "odd": 5}
    event(connection, "live", NOW, counts=counts)
    row = overview(cast.organization, now=NOW).today[0]
    assert (row.going, row.checked_in, row.pending, row.expected) == (836, 412, 22, 1248)


def test_names_the_newest_of_those_who_wait(cast, connection):
    here = event(connection, "live", NOW, counts={"pending_approval": 7})
    over = event(connection, "over", NOW - 48 * HOUR, counts={"pending_approval": 90})
    for number in range(7):
        add_guest(here, f"guest {number}", NOW - number * HOUR)
    add_guest(over, "too late", NOW)
    waiting = overview(cast.organization, now=NOW).waiting
    assert waiting.count == 7
    assert [row.guest.name for row in waiting.rows] == [f"guest {number}" for number in range(5)]


def add_guest(event, name, registered_at):
    fields = {"organization": event.organization, "connection": event.connection, "status": "pending_approval"}
    return Attendee.objects.create(event=event, name=name, remote_id=name, registered_at=registered_at, **fields)


def test_says_when_the_guests_were_read(cast, connection):
    event(connection, "live", NOW)
    Sweep.objects.create(connection=connection, noun="attendees", scope="live", finished_at=NOW)
    assert overview(cast.organization, now=NOW).today[0].guests_read_at == NOW


def test_asks_as_little_with_many_events(cast, connection, django_assert_max_num_queries):
    for number in range(30):
        event(connection, f"today {number}", NOW + HOUR, counts={"pending_approval": 1})
        event(connection, f"later {number}", NOW + 48 * HOUR, counts={"pending_approval": 1})
    with django_assert_max_num_queries(7):
        overview(cast.organization, now=NOW)
