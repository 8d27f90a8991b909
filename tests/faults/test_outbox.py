"""Nothing is lost and nothing happens twice, whatever the line and the provider do. Real server, real client."""

import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connections

from organizer.attendees import actions
from organizer.attendees.models import Attendee
from organizer.connections.models import Health
from organizer.sync import actions as sync
from organizer.sync.models import Command, Outlet, State
from tests.support import faults
from tests.support.provider import Clock, Provider, drain, guest
from tests.support.trouble import Line

pytestmark = pytest.mark.django_db(transaction=True)
MAIL = {"notify_guest": True, "custom_message": "See you there."}


@pytest.fixture
def line(event_server):
    with Line(event_server) as line:
        yield line


@pytest.fixture
def provider(event_server, line):
    return Provider(event_server, url=line.url)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def approve(cast):
    def approve(name, *, by=None, **params):
        row = Attendee.objects.get(first_name=name)
        return actions.decide(
            organization=cast.organization, attendee_id=row.pk, kind="approve", seen="", by=by or cast.olive,
            params=params or MAIL,
        )  # fmt: skip

    return approve


def due(clock):
    """The time for undoing is over."""
    clock.forward(seconds=11)


def states():
    return Counter(Command.objects.values_list("state", flat=True))


def test_sends_a_decision_with_its_message(cast, provider, approve, clock):
    provider.add_guests(1)
    connection = provider.connect(cast.organization)
    approve("Guest 0")
    assert guest("Guest 0").status == "valid"  # shown at once
    assert sync.send(connection.pk, now=clock) > 5  # and can be undone
    assert set(provider.statuses().values()) == {"pending_approval"}
    due(clock)
    drain(connection, clock)
    assert set(provider.statuses().values()) == {"valid"}
    row = guest("Guest 0")
    assert (row.status, row.payload["status"], row.outbox) == ("valid", "valid", {})
    [(to, text)] = provider.mails()
    assert to == "guest-0@x.test"
    assert "See you there." in text


def test_an_answer_lost_after_it_was_applied_makes_no_second_mail(cast, provider, line, approve, clock):
    number = 300
    provider.add_guests(number)
    connection = provider.connect(cast.organization)
    for n in range(number):
        approve(f"Guest {n}")
    lost = set()

    def lose_the_first(request):
        key = request.headers.get("idempotency-key")
        if key and key not in lost:
            lost.add(key)
            return faults.close()
        return None

    line.after = lose_the_first
    due(clock)
    drain(connection, clock)
    assert states() == {State.DONE: number}
    assert len(lost) == number
    assert Counter(to for to, _ in provider.mails()) == Counter(f"guest-{n}@x.test" for n in range(number))
    assert set(provider.statuses().values()) == {"valid"}
    assert set(Attendee.objects.values_list("status", flat=True)) == {"valid"}


@pytest.mark.parametrize("hours", [1, 48])
def test_survives_an_api_that_was_down(cast, provider, line, approve, clock, hours):
    provider.add_guests(3)
    connection = provider.connect(cast.organization)
    for n in range(3):
        approve(f"Guest {n}")
    line.before = lambda request: faults.close()
    end = clock() + timedelta(hours=hours)
    due(clock)
    while clock() < end:
        wait = sync.send(connection.pk, now=clock)
        clock.forward(seconds=max(wait or 0, 600))
    line.before = lambda request: None
    clock.forward(minutes=2)
    drain(connection, clock)
    # one of them found out for all; after 23 h it is read before it is sent again, had not been done, and mails
    assert states() == ({State.DONE: 3} if hours < 23 else {State.DONE: 2, State.PARKED: 1})
    assert len(provider.mails()) == (3 if hours < 23 else 2)


def test_what_was_done_before_the_silence_is_found_by_reading(cast, provider, line, approve, clock):
    provider.add_guests(1)
    connection = provider.connect(cast.organization)
    approve("Guest 0")
    line.after = lambda request: faults.close()
    due(clock)
    sync.send(connection.pk, now=clock)
    line.after = lambda request: None
    clock.forward(hours=30)
    drain(connection, clock)
    assert states() == {State.DONE: 1}
    assert len(provider.mails()) == 1


@pytest.mark.parametrize("answer", [faults.status(500), faults.html(502), faults.html(200), faults.cut()])
def test_a_storm_of_errors_passes(cast, provider, line, approve, clock, answer):
    provider.add_guests(5)
    connection = provider.connect(cast.organization)
    for n in range(5):
        approve(f"Guest {n}")
    storm = iter(range(20))
    line.before = lambda request: answer if next(storm, None) is not None else None
    due(clock)
    drain(connection, clock)
    assert states() == {State.DONE: 5}
    assert len(provider.mails()) == 5


def test_a_storm_of_429_is_no_attempt(cast, provider, line, approve, clock):
    provider.add_guests(5)
    connection = provider.connect(cast.organization)
    for n in range(5):
        approve(f"Guest {n}")
    storm = iter(range(8))
    limited = faults.says({"error": "rate_limit_exceeded"}, status=429, headers={"Retry-After": "1"})
    line.before = lambda request: limited if next(storm, None) is not None else None
    due(clock)
    drain(connection, clock)
    assert states() == {State.DONE: 5}
    assert set(Command.objects.values_list("attempts", flat=True)) == {0}


def test_a_revoked_key_holds_all_until_another_is_saved(cast, provider, line, approve, clock):
    provider.add_guests(4)
    connection = provider.connect(cast.organization)
    for n in range(4):
        approve(f"Guest {n}")
    refused = faults.status(401, "Invalid or revoked API key")
    writes = iter(range(2))
    line.before = lambda request: None if request.method == "GET" or next(writes, None) is not None else refused
    due(clock)
    drain(connection, clock)
    connection.refresh_from_db()
    assert connection.health == Health.KEY_REFUSED
    assert states() == {State.DONE: 2, State.WAITING: 2}
    assert set(Attendee.objects.values_list("status", flat=True)) == {"valid"}  # held is not taken back
    line.before = lambda request: None
    provider.replace_key(connection, provider.own_key(), cast.olive)
    drain(connection, clock)
    assert states() == {State.DONE: 4}
    assert len(provider.mails()) == 4


def test_a_missing_scope_holds_only_what_needs_it(cast, event_server, line, approve, clock):
    provider = Provider(event_server, url=line.url)
    provider.add_guests(2)
    connection = provider.connect(cast.organization)
    for n in range(2):
        approve(f"Guest {n}")
    lacking = event_server.make_key(provider.slug, ["events:read", "ticket_classes:read", "attendees:read"])
    provider.replace_key(connection, lacking, cast.olive)
    due(clock)
    drain(connection, clock)
    connection.refresh_from_db()
    assert states() == {State.WAITING: 2}
    assert connection.health == Health.WORKING
    assert connection.scopes["attendees:write"] == "denied"
    provider.mirror(connection)  # reading goes on
    assert set(Attendee.objects.values_list("status", flat=True)) == {"valid"}


def test_a_refusal_comes_back_with_the_apis_words(cast, provider, approve, clock):
    provider.add_guests(1)
    connection = provider.connect(cast.organization)
    row = guest("Guest 0")
    provider.api.attendees.update(
        provider.event.id, row.remote_id or "", {"status": "rejected"}, idempotency_key="elsewhere"
    )
    approve("Guest 0")
    due(clock)
    drain(connection, clock)
    row.refresh_from_db()
    assert row.outbox["state"] == "refused"
    assert row.outbox["reason"] == "A rejected ticket cannot be approved"
    assert row.needs_attention
    assert row.status == "pending_approval"  # what the API last said, until it is read again
    provider.mirror(connection, clock)
    row.refresh_from_db()
    assert (row.status, row.outbox["state"]) == ("rejected", "refused")


def test_silence_rests_the_connection_and_then_all_goes_on(cast, provider, line, approve, clock):
    provider.add_guests(6)
    connection = provider.connect(cast.organization)
    for n in range(6):
        approve(f"Guest {n}")
    line.before = lambda request: faults.close()
    due(clock)
    asked = len(line.writes)
    assert sync.send(connection.pk, now=clock) > 0
    assert len(line.writes) - asked == 1  # one finds out for all
    assert sync.send(connection.pk, now=clock) > 0
    assert len(line.writes) - asked == 1
    assert Outlet.objects.get().failures == 1
    line.before = lambda request: None
    clock.forward(minutes=2)
    drain(connection, clock)
    assert states() == {State.DONE: 6}


class TestARowNeverFlickers:
    """A page of a sweep that is in flight across an approval, in every order."""

    def page_in_flight(self, line, then):
        """`then` happens after the server has made its answer to a page, and before the answer is taken."""
        done = []

        def hook(request):
            if request.method == "GET" and request.path.endswith("/attendees") and not done:
                done.append(True)
                then()
                connections.close_all()
            return

        line.after = hook

    def read(self, provider, connection, clock):
        sync.ask(connection, "attendees", provider.event.id)
        clock.forward(seconds=2)
        provider.mirror(connection, clock)

    def test_when_it_is_decided_while_the_page_is_on_its_way(self, cast, provider, line, approve, clock):
        provider.add_guests(1)
        connection = provider.connect(cast.organization)
        self.page_in_flight(line, lambda: approve("Guest 0"))
        self.read(provider, connection, clock)
        row = guest("Guest 0")
        assert (row.status, row.payload["status"]) == ("valid", "pending_approval")
        assert row.outbox["state"] == "waiting"

    def test_when_it_is_answered_while_the_page_is_on_its_way(self, cast, provider, line, approve, clock):
        provider.add_guests(1)
        connection = provider.connect(cast.organization)
        approve("Guest 0")

        def answered():
            clock.forward(seconds=11)
            drain(connection, clock)

        self.page_in_flight(line, answered)
        self.read(provider, connection, clock)
        row = guest("Guest 0")
        assert states() == {State.DONE: 1}
        assert (row.status, row.payload["status"]) == ("valid", "valid")  # the page was older, and did not win

    def test_while_it_can_be_undone_and_while_it_is_held(self, cast, provider, line, approve, clock):
        provider.add_guests(1)
        connection = provider.connect(cast.organization)
        approve("Guest 0")
        self.read(provider, connection, clock)
        assert guest("Guest 0").status == "valid"
        line.before = lambda request: faults.close() if request.method == "PATCH" else None
        clock.forward(seconds=60)
        sync.send(connection.pk, now=clock)
        self.read(provider, connection, clock)
        assert guest("Guest 0").status == "valid"

    def test_and_an_undo_shows_what_the_api_says(self, cast, provider, approve, clock):
        provider.add_guests(1)
        connection = provider.connect(cast.organization)
        command = approve("Guest 0")
        assert actions.undo(command=command, by=cast.olive)
        assert guest("Guest 0").status == "pending_approval"
        clock.forward(seconds=60)
        drain(connection, clock)
        assert set(provider.statuses().values()) == {"pending_approval"}


def test_of_two_people_who_decide_at_once_one_is_told(cast, provider, clock):
    rounds = 20
    provider.add_guests(rounds)
    connection = provider.connect(cast.organization)
    for n in range(rounds):
        row, start, came_of_it = guest(f"Guest {n}"), threading.Barrier(2), []

        def decide(kind, by, row=row, start=start, came_of_it=came_of_it):
            start.wait()
            try:
                actions.decide(
                    organization=cast.organization, attendee_id=row.pk, kind=kind, seen="pending_approval", by=by,
                    params=MAIL,
                )  # fmt: skip
                came_of_it.append(kind)
            except actions.CouldNotDecide as problem:
                came_of_it.append(problem.message)
            finally:
                connections.close_all()

        people = [threading.Thread(target=decide, args=who) for who in (("approve", cast.olive), ("reject", cast.max))]
        for person in people:
            person.start()
        for person in people:
            person.join()
        [decided] = [one for one in came_of_it if one in ("approve", "reject")]
        [told] = [one for one in came_of_it if one != decided]
        assert ("Olive" if decided == "approve" else "Max").lower() in told.lower()
        assert guest(f"Guest {n}").status == {"approve": "valid", "reject": "rejected"}[decided]
    due(clock)
    drain(connection, clock)
    assert states() == {State.DONE: rounds}
    assert len(provider.mails()) == rounds
