"""A key of another organization at the same address: nothing is mixed before a person has said what is meant."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.connections import actions, tasks
from organizer.connections.models import Connection, Health
from organizer.events.models import Event
from organizer.sync import actions as sync
from organizer.sync import queries
from tests.support import faults

EVENTS = "/api/v1/events"
ROOM = {"RateLimit-Limit": "100000", "RateLimit-Remaining": "99999", "RateLimit-Reset": "10"}
"""So that no test waits for a limit."""


def live():
    return Connection.objects.get(live=True)


def names(**of):
    return sorted(Event.objects.filter(connection__live=True, gone_at=None, **of).values_list("name", flat=True))


def check_and_walk():
    tasks.check(connection_id=str(live().pk))
    later()


def later():
    live().sweeps.update(next_at=timezone.now())
    return sync.walk(live().pk)


def is_to_be_walked():
    return queries.to_walk(timezone.now() + timedelta(minutes=10)).exists()


class Provider:
    """Two organizations behind one address: which events are seen is told by the key."""

    def __init__(self, server):
        self.server, self.away = server, False
        self.sees = {"evt_live_first": ["a", "b"], "evt_live_second": ["x"]}
        server.by(EVENTS, self.answer)
        server.by("*", self.answer)

    def answer(self, request):
        return faults.close() if self.away else faults.Answer(**{**vars(self.say(request)), "headers": ROOM})

    def say(self, request):
        if request.path != EVENTS:
            is_list = request.method == "GET" and request.path.count("/") > EVENTS.count("/") + 1
            return faults.page([]) if is_list else faults.status(404, "Event not found")
        seen = self.sees[request.headers["x-api-key"]]
        return faults.page([{"id": one, "name": one.upper(), "status": "active"} for one in seen])


@pytest.fixture
def provider(fault_server):
    return Provider(fault_server)


@pytest.fixture
def first(provider, cast):
    provider.connection = actions.add(
        organization=cast.organization, service="events", url=f"{provider.server.url}/api/v1", key="evt_live_first",
        by=cast.olive,
    )  # fmt: skip
    return provider


def replace(key="evt_live_second"):
    actions.replace_key(connection=live(), key=key, by=None)


def test_keeps_the_old_list_and_asks_in_a_banner(first, client, cast):
    check_and_walk()
    assert names() == ["A", "B"]
    replace()
    check_and_walk()
    assert live().sees_other_events
    assert names() == ["A", "B"]
    client.force_login(cast.olive)
    said = client.get("/o/harbour/").content.decode()
    assert "the new key sees other events than those shown here. Say which of them you want." in said
    where = client.get("/o/harbour/settings/connections/").content.decode()
    assert f"/connections/{live().pk}/" in where


@pytest.mark.parametrize(("answer", "kept"), [("follow_key", {"X"}), ("start_anew", {"X"})])
def test_goes_on_as_the_person_says(first, client, cast, answer, kept):
    check_and_walk()
    replace()
    check_and_walk()
    client.force_login(cast.olive)
    page = client.get("/o/harbour/settings/connections/").content.decode()
    address = next(part for part in page.split('"') if part.endswith(f"/{answer.replace('_', '-')}/") or answer in part)
    assert client.post(address).status_code == 302
    check_and_walk()
    assert set(names()) == kept
    assert not live().sees_other_events
    assert live().health == Health.WORKING


def test_reads_nothing_with_a_new_key_that_nobody_could_try(first):
    check_and_walk()
    first.away = True
    replace()
    tasks.check(connection_id=str(live().pk))
    assert live().health == Health.UNREACHABLE
    first.away = False
    assert later() is None
    assert not is_to_be_walked()
    assert names() == ["A", "B"]
    check_and_walk()
    assert live().sees_other_events
    assert names() == ["A", "B"]


def test_knows_events_that_came_after_the_key_was_tried(first):
    first.sees["evt_live_first"] = []
    check_and_walk()
    first.sees["evt_live_first"] = ["a"]
    later()
    assert names() == ["A"]
    replace()
    check_and_walk()
    assert live().sees_other_events
    assert names() == ["A"]


def test_goes_on_with_a_new_key_that_sees_the_same(first):
    check_and_walk()
    first.sees["evt_live_second"] = ["b", "c"]
    replace()
    check_and_walk()
    assert is_to_be_walked()
    later()
    assert {"B", "C"} <= set(names())
