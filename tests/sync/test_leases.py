"""One walker at a time per connection; what a walker read that lost its turn is not stored."""

import os
import subprocess
import sys
import threading

import pytest
from django.db import connections

from organizer.attendees.models import Attendee
from organizer.sync import actions, leases
from organizer.sync.models import Walker
from organizer.upstream.errors import Broken
from tests.sync.scripted import Walking
from tests.sync.test_sweeps import sweep


def test_is_taken_once(connection, clock):
    assert leases.take(connection.pk, "a", clock())
    assert not leases.take(connection.pk, "b", clock())
    clock.forward(59)
    assert not leases.take(connection.pk, "b", clock())
    leases.release(connection.pk, "a", clock())
    assert leases.take(connection.pk, "b", clock())


def test_is_over_when_its_holder_is_silent(connection, clock):
    leases.take(connection.pk, "a", clock())
    clock.forward(61)
    assert leases.take(connection.pk, "b", clock())
    with pytest.raises(leases.LeaseLost):
        leases.renew(connection.pk, "a", clock())


def test_is_not_taken_before_its_time(connection, clock):
    leases.take(connection.pk, "a", clock())
    later = clock.time.replace(year=clock.time.year + 1)
    leases.release(connection.pk, "a", later)
    assert not leases.take(connection.pk, "b", clock())


def test_a_release_by_another_does_nothing(connection, clock):
    leases.take(connection.pk, "a", clock())
    leases.release(connection.pk, "b", clock())
    assert not leases.take(connection.pk, "b", clock())


def test_a_page_of_a_walker_that_lost_its_turn_is_not_stored(walking, provider):
    provider.add_event()
    provider.add_guests(3)
    walking.step()
    walking.step()

    def another_takes_over(number, status):
        Walker.objects.update(holder="another")

    provider.attendees.before = another_takes_over
    with pytest.raises(leases.LeaseLost):
        walking.step()
    assert Attendee.objects.count() == 0
    assert sweep().page == 0


def test_a_failure_of_a_walker_that_lost_its_turn_is_not_kept(walking, provider):
    provider.add_event()
    walking.step()
    walking.step()

    def another_takes_over(number, status):
        Walker.objects.update(holder="another")
        raise Broken("It answered 500.", 500)

    provider.attendees.before = another_takes_over
    with pytest.raises(leases.LeaseLost):
        walking.step()
    assert (sweep().page, sweep().failures) == (0, 0)


def test_a_walk_elsewhere_means_there_is_nothing_to_do_here(walking, connection):
    assert actions.walk(connection.pk) is None


def holder(pid, life="before"):
    machine = leases.process_name().partition(":")[0]
    return f"{machine}:{pid}:{life}:x"


def test_frees_what_the_dead_held(connection, clock):
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    leases.take(connection.pk, holder(child.pid), clock())
    assert leases.release_dead() == 1
    assert leases.take(connection.pk, "b", clock())


def test_frees_what_a_process_held_that_had_our_number(connection, clock):
    leases.take(connection.pk, holder(os.getpid()), clock())
    assert leases.release_dead() == 1


@pytest.mark.parametrize("living", ["us", "another", "elsewhere", "odd"])
def test_leaves_what_the_living_hold(connection, clock, living):
    names = {"us": leases.new_holder(), "another": holder(os.getppid()), "elsewhere": "elsewhere:1:x", "odd": "odd"}
    leases.take(connection.pk, names[living], clock())
    assert leases.release_dead() == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_gets_it(connection, clock):
    Walker.objects.create(connection=connection, next_at=clock())
    taken, start = [], threading.Barrier(6)

    def take(name):
        start.wait()
        if leases.take(connection.pk, name, clock()):
            taken.append(name)
        connections.close_all()

    threads = [threading.Thread(target=take, args=(f"w{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(taken) == 1


def test_another_walker_goes_on_from_the_page(walking, provider, connection, clock):
    provider.add_event()
    provider.attendees.size = 2
    provider.add_guests(6)
    for _ in range(4):  # events, classes, two pages of guests
        walking.step()
    assert sweep().page == 3
    clock.forward(61)
    Walking(connection, provider).until_done()
    assert [number for _, number, _ in provider.attendees.asked] == [1, 2, 3]
    assert Attendee.objects.count() == 6
