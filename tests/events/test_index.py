from datetime import timedelta

import pytest
from django.utils import timezone

from tests.support import mirror


@pytest.fixture
def connection(cast):
    return mirror.connection(cast.organization)


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


def made(connection, name, *, hours=24, lasts=3, **fields):
    start = timezone.now() + timedelta(hours=hours)
    times = {
        which: {"utc": moment.strftime("%Y-%m-%dT%H:%M:%SZ"), "timezone": "Europe/Berlin"}
        for which, moment in (("start", start), ("end", start + timedelta(hours=lasts)))
    }
    return mirror.event(connection, name=name, **(times | {"status": "active"} | fields))


def shown(client, **parameters):
    return [row.event.name for row in client.get("/o/harbour/events/", parameters).context["events"].rows]


@pytest.fixture
def year(connection):
    made(connection, "Later", hours=48)
    made(connection, "Sooner", hours=24)
    made(connection, "Under way", hours=-1)
    made(connection, "Over", hours=-48)
    made(connection, "Idea", status="draft")
    made(connection, "Not any more", status="cancelled")
    made(connection, "Erased", status="deleted")


@pytest.mark.parametrize(
    ("tab", "names"),
    [
        ("upcoming", ["Sooner", "Later"]),
        ("live", ["Under way"]),
        ("past", ["Over"]),
        ("draft", ["Idea"]),
        ("cancelled", ["Not any more"]),
    ],
)
def test_puts_each_event_under_one_tab(olive, year, tab, names):
    assert shown(olive, tab=tab) == names
    counts = {one.phase: one.count for one in olive.get("/o/harbour/events/").context["events"].tabs}
    assert counts[tab] == len(names)
    assert counts[""] == 6


def test_finds_by_name_and_place(olive, connection):
    made(connection, "Café müde")
    made(connection, "100% Jazz", venue={"name": "Spree", "city": "Łódź"})
    assert shown(olive, q="cafe") == ["Café müde"]
    assert shown(olive, q="lodz") == ["100% Jazz"]
    assert shown(olive, q="100%") == ["100% Jazz"]
    assert shown(olive, q="1_0") == []


def test_says_how_full_it_is_and_who_waits(olive, connection):
    event = made(connection, "Full", capacity=2)
    for status in ("valid", "checked_in", "pending_approval"):
        mirror.guest(event, status=status)
    row = olive.get("/o/harbour/events/").context["events"].rows[0]
    assert (row.taken, row.full, row.pending) == (2, True, 1)


def test_asks_as_many_queries_for_many_as_for_one(olive, connection, django_assert_max_num_queries):
    for number in range(60):
        mirror.guest(made(connection, f"Event {number}", hours=number))
    olive.get("/o/harbour/events/")
    with django_assert_max_num_queries(10):
        olive.get("/o/harbour/events/")


def test_keeps_another_organizations_events_out(olive, cast, connection):
    theirs = made(mirror.connection(cast.elsewhere), "Theirs")
    assert shown(olive) == []
    assert olive.get(f"/o/harbour/events/{theirs.pk}/").status_code == 404
    assert olive.get(f"/o/harbour/events/{theirs.pk}/ticket-classes/").status_code == 404


def test_teaches_the_next_step(olive):
    assert "Connect the event API" in olive.get("/o/harbour/events/").content.decode()


@pytest.mark.parametrize("query", ["tab=nonsense", "after=abc", "q=%00", "q=%F0%9F"])
def test_takes_any_address(olive, connection, query):
    assert olive.get(f"/o/harbour/events/?{query}").status_code == 200
