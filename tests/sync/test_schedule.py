from datetime import timedelta

import pytest

from organizer.accounts.models import Organization
from organizer.connections.models import Health
from organizer.sync import actions, queries, rules, schedule
from organizer.sync.models import Pulse, Sweep, Walker
from tests.sync.scripted import make_connection
from tests.sync.test_sweeps import sweep


def due_in(of, clock):
    return round((of.next_at - clock()).total_seconds())


def asked_order(provider):
    return [parent for parent, _, _ in provider.attendees.asked]


def at(clock, hours):
    return {"utc": (clock() + timedelta(hours=hours)).isoformat()}


def test_reads_guests_as_often_as_their_event_asks(walking, provider, clock):
    provider.add_event("live", start=at(clock, -1), end=at(clock, 2))
    provider.add_event("soon", start=at(clock, 48), end=at(clock, 50))
    provider.add_event("past", start=at(clock, -50), end=at(clock, -48))
    walking.until_done()
    for scope, seconds in {"live": 60, "soon": 300, "past": 86400}.items():
        for noun in ("attendees", "ticket_classes"):
            assert due_in(sweep(noun, scope), clock) == pytest.approx(seconds, abs=2)
    assert due_in(sweep("events", ""), clock) == pytest.approx(60, abs=2)


def test_reads_the_nearest_event_first(walking, provider, clock):
    provider.add_event("past", start=at(clock, -50), end=at(clock, -48))
    provider.add_event("far", start=at(clock, 480))
    provider.add_event("live", start=at(clock, -1))
    provider.add_event("soon", start=at(clock, 24))
    walking.until_done()
    assert asked_order(provider) == ["live", "soon", "past", "far"]


def test_an_event_that_moved_is_read_by_its_new_time(walking, provider, clock):
    provider.add_event("e1", start=at(clock, -50), end=at(clock, -48))
    walking.until_done()
    provider.events.rows[""][0]["start"] = at(clock, -1)
    provider.events.rows[""][0]["end"] = at(clock, 1)
    clock.forward(61)
    walking.until_done()
    assert due_in(sweep(), clock) <= 60


def test_what_is_asked_for_goes_first(walking, provider, connection, clock):
    for event in ("a", "b", "c"):
        provider.add_event(event)
    walking.until_done()
    provider.attendees.asked.clear()
    clock.forward(400)
    Sweep.objects.filter(scope="c").update(looked_at=clock())
    actions.ask(connection, "attendees", "b")
    Sweep.objects.filter(asked_at__isnull=False).update(next_at=clock())
    walking.until_done()
    assert asked_order(provider) == ["b", "c", "a"]
    assert sweep(scope="b").asked_at is None


def test_what_is_asked_for_while_it_is_read_is_read_again(walking, provider, connection, clock):
    provider.add_event()
    provider.add_guests(2)
    walking.step()
    walking.step()
    moment = clock() + timedelta(seconds=5)
    provider.attendees.before = lambda number, status: Sweep.objects.filter(noun="attendees").update(asked_at=moment)
    walking.step()
    assert sweep().asked_at == moment
    assert sweep().next_at <= clock()


def test_asking_does_not_wait_for_a_back_off(connection, clock):
    schedule.plan(connection, clock())
    later = clock() + timedelta(minutes=1)
    Walker.objects.create(connection=connection, next_at=later)
    Sweep.objects.update(next_at=later)
    assert actions.ask(connection, "events")
    assert Sweep.objects.get().next_at < later
    assert Walker.objects.get().next_at < later


def test_looking_brings_a_past_event_forward_once_a_minute(walking, provider, connection, clock):
    provider.add_event("past", start=at(clock, -50), end=at(clock, -48))
    walking.until_done()
    past = Sweep.objects.filter(noun="attendees", scope="past")
    past.update(finished_at=clock() - timedelta(hours=3), next_at=clock() + timedelta(hours=21))
    actions.look(connection, "attendees", "past")
    looked = past.get()
    assert looked.next_at <= clock() + timedelta(seconds=30)
    past.update(next_at=clock() + timedelta(hours=21))
    actions.look(connection, "attendees", "past")
    assert past.get().next_at > clock() + timedelta(hours=20)


def test_looking_twice_in_a_minute_writes_once(connection, clock, django_assert_num_queries):
    schedule.plan(connection, clock())
    actions.look(connection, "events")
    with django_assert_num_queries(1):
        actions.look(connection, "events")


def test_a_list_on_screen_is_read_each_minute(walking, provider, clock):
    provider.add_event("past", start=at(clock, -50), end=at(clock, -48))
    walking.until_done()
    Sweep.objects.filter(scope="past").update(looked_at=clock(), next_at=clock())
    walking.until_done()
    assert due_in(sweep(scope="past"), clock) <= 60


class TestWhoIsToBeWalked:
    def ids(self, clock):
        return [connection.pk for connection in queries.to_walk(clock())]

    def test_one_that_was_never_read(self, connection, clock):
        assert self.ids(clock) == [connection.pk]

    def test_one_with_something_due(self, walking, connection, clock):
        walking.until_done()
        Walker.objects.update(holder="", until=None)
        assert self.ids(clock) == []
        clock.forward(61)
        assert self.ids(clock) == [connection.pk]

    def test_not_one_that_is_being_read(self, walking, clock):
        assert self.ids(clock) == []
        clock.forward(61)  # its holder is silent
        assert len(self.ids(clock)) == 1

    def test_not_one_that_rests(self, connection, clock):
        Walker.objects.create(connection=connection, next_at=clock() + timedelta(seconds=5))
        assert self.ids(clock) == []

    @pytest.mark.parametrize(
        "fields",
        [
            {"live": False},
            {"health": Health.KEY_REFUSED},
            {"health": Health.CHECKING},
            {"sees_other_events": True},
        ],
    )
    def test_not_one_that_cannot_be_read(self, db, clock, fields):
        make_connection("x", **fields)
        assert self.ids(clock) == []


class TestFreshness:
    def test_says_that_nothing_is_connected(self, db):
        fresh = queries.freshness(Organization.objects.create(slug="x", name="x"), "events")
        assert (fresh.read_at, fresh.reading, fresh.stale) == (None, False, True)
        assert fresh.problem

    def test_a_list_that_is_being_read(self, walking, provider, connection, clock):
        provider.add_event()
        provider.attendees.size = 1
        provider.add_guests(3)
        for _ in range(3):
            walking.step()
        fresh = queries.freshness(connection.organization, "attendees", "e1", now=clock())
        assert fresh.reading
        walking.until_done()
        fresh = queries.freshness(connection.organization, "attendees", "e1", now=clock())
        assert not fresh.reading
        assert fresh.read_at == sweep().started_at
        assert not fresh.stale

    def test_a_dead_worker_does_not_read_for_ever(self, walking, provider, connection, clock):
        provider.add_event()
        provider.attendees.size = 1
        provider.add_guests(3)
        for _ in range(3):
            walking.step()
        clock.forward(120)
        assert not queries.freshness(connection.organization, "attendees", "e1", now=clock()).reading

    def test_is_stale_when_nobody_reads_it_any_more(self, walking, provider, connection, clock):
        provider.add_event()
        walking.until_done()
        clock.forward(16 * 60)
        assert queries.freshness(connection.organization, "attendees", "e1", now=clock()).stale


def test_the_last_pulse_tells_whether_anybody_works(db, clock):
    assert queries.pulse_age(clock()) is None
    actions.beat(clock())
    clock.forward(7)
    assert queries.pulse_age(clock()) == timedelta(seconds=7)
    actions.beat(clock())
    assert Pulse.objects.count() == 1


def test_a_long_list_rests_as_long_as_it_took(clock):
    minute = timedelta(minutes=1)
    started = clock()
    now = started + 3 * minute
    assert rules.next_read(started=started, now=now, every=minute, busy=2 * minute) == now + 2 * minute
    assert rules.next_read(started=started, now=started, every=minute, busy=timedelta(0)) == started + minute
