"""Trying a connection, against our own event server and against servers on a bad day."""

import os

import pytest

from organizer.connections import actions, clients, queries, tasks
from organizer.connections.models import Connection, Health
from organizer.connections.probe import EVENT_SCOPES
from organizer.upstream.errors import KeyRefused
from tests.support import faults, processes


@pytest.fixture
def checked(add):
    def checked_(url, key="evt_live_" + "x" * 43):
        connection = add(url=url, key=key)
        tasks.check(connection_id=str(connection.pk))
        return Connection.objects.get(pk=connection.pk)

    return checked_


def scopes_of(connection, outcome):
    return {scope for scope, found in connection.scopes.items() if found == outcome}


def test_finds_that_it_works(event_server, checked, organization):
    key = event_server.make_key("checked", EVENT_SCOPES)
    connection = checked(f"{event_server.url}/api/v1", key)
    assert connection.health == Health.WORKING
    assert scopes_of(connection, "granted") == set(EVENT_SCOPES)
    assert connection.checked_at
    assert queries.notices(organization) == []


def test_names_the_scopes_that_are_missing(event_server, checked, organization):
    key = event_server.make_key("checked", ["events:read", "events:write"])
    connection = checked(f"{event_server.url}/api/v1", key)
    assert connection.health == Health.WORKING
    assert scopes_of(connection, "denied") == set(EVENT_SCOPES) - {"events:read", "events:write"}
    assert any("attendees:read" in notice.text for notice in queries.notices(organization))


def test_finds_that_the_key_is_refused(event_server, checked):
    connection = checked(f"{event_server.url}/api/v1")
    assert connection.health == Health.KEY_REFUSED
    assert not queries.is_usable(connection)


def test_finds_that_nobody_is_there(checked):
    connection = checked(f"http://127.0.0.1:{processes.free_port()}/api/v1")
    assert connection.health == Health.UNREACHABLE
    assert "refused" in connection.health_message


def test_finds_that_the_address_is_another(event_server, checked):
    key = event_server.make_key("checked", EVENT_SCOPES)
    connection = checked(f"{event_server.url}/api/v1/elsewhere", key)
    assert connection.health == Health.UNREACHABLE
    assert "/api/v1" in connection.health_message


@pytest.mark.parametrize("answer", [faults.html(), faults.html(404), faults.status(500), faults.cut(), faults.close()])
def test_survives_a_bad_day(fault_server, checked, answer):
    fault_server.on("*", answer)
    connection = checked(fault_server.url)
    assert connection.health == Health.UNREACHABLE
    assert connection.checked_at


def test_does_not_guess_what_it_cannot_know(fault_server, checked):
    fault_server.on("*", faults.status(500))
    fault_server.on("/events", faults.page([]))
    connection = checked(fault_server.url)
    assert connection.health == Health.WORKING
    assert scopes_of(connection, "granted") == {"events:read"}
    assert scopes_of(connection, "unknown") == set(EVENT_SCOPES) - {"events:read"}


def test_asks_about_a_key_that_sees_other_events(fault_server, checked, add, organization):
    def events(*ids):
        fault_server.on("/events", faults.page([{"id": id_, "name": id_, "status": "active"} for id_ in ids]))

    fault_server.on("*", faults.status(404, "Event not found"))
    events("a", "b")
    assert not checked(fault_server.url).sees_other_events
    events("b", "c")
    assert not checked(fault_server.url, "evt_live_second").sees_other_events
    events("x", "y")
    connection = checked(fault_server.url, "evt_live_third")
    assert connection.sees_other_events
    assert not queries.is_usable(connection)
    assert "other events" in queries.notices(organization)[0].text

    actions.follow_key(connection=connection, by=None)
    tasks.check(connection_id=str(connection.pk))
    followed = Connection.objects.get(pk=connection.pk)
    assert (followed.sees_other_events, followed.known_events) == (False, ["x", "y"])


def test_does_nothing_about_what_was_removed(connection):
    actions.remove(connection=connection, by=None)
    tasks.check(connection_id=str(connection.pk))
    assert Connection.objects.get().checked_at is None


def test_stores_a_service_that_it_cannot_try_yet(add):
    connection = add(service="cloud")
    tasks.check(connection_id=str(connection.pk))
    assert Connection.objects.get(pk=connection.pk).checked_at


def test_says_that_a_stored_key_does_not_open(connection, organization, settings):
    settings.FOYER_KEY_RING = {"another": os.urandom(32)}
    tasks.check(connection_id=str(connection.pk))
    [notice] = queries.notices(organization)
    assert Connection.objects.get().health == Health.KEY_REFUSED
    assert "replace it here" in notice.text
    with pytest.raises(KeyRefused, match="key ring"), clients.event_api(connection):
        pass


def test_opens_no_connection_by_itself(connection):
    with clients.event_api(connection) as api:
        assert api.events


def test_finds_what_was_lost_on_the_way(add, connection):
    add(service="cloud")
    assert queries.to_check() == [connection]
    tasks.check(connection_id=str(connection.pk))
    assert queries.to_check() == []
