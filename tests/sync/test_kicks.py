"""Word to the worker: after the commit only, once for many, and of no harm to anybody when the broker is dead."""

import threading
from collections import Counter

import pytest
from django.db import transaction

from organizer.sync import kicks, outbox
from organizer.sync.kicks import Kicker
from tests.support import mirror


class Broker:
    """Takes what it is sent, or raises; `wait_for` is how a test hears of it."""

    def __init__(self):
        self.sent, self.fails, self._said = [], 0, threading.Semaphore(0)

    def __call__(self, connection_id, after):
        self.sent.append((connection_id, after))
        self._said.release()
        if self.fails:
            self.fails -= 1
            raise ConnectionError("no broker")

    def wait_for(self, number):
        for _ in range(number):
            assert self._said.acquire(timeout=10), f"heard of {self.sent} only"


@pytest.fixture
def broker():
    return Broker()


@pytest.fixture
def kicker(broker, monkeypatch):
    kicker = Kicker(broker)
    monkeypatch.setattr(kicks, "_kicker", kicker)
    return kicker


def test_is_sent_with_its_delay(broker, kicker):
    kicker.tell("a", 10.0)
    broker.wait_for(1)
    assert broker.sent == [("a", 10.0)]


def test_makes_one_of_many_in_the_same_moment(broker, kicker, monkeypatch):
    monkeypatch.setattr(kicks, "TOGETHER", 0.3)
    for _ in range(50):
        kicker.tell("a", 0.0)
        kicker.tell("b", 0.0)
    kicker.tell("a", 10.0)
    broker.wait_for(3)
    assert Counter(broker.sent) == {("a", 0.0): 1, ("b", 0.0): 1, ("a", 10.0): 1}


def test_is_sent_again_for_what_comes_later(broker, kicker):
    for number in range(3):
        kicker.tell("a", 0.0)
        broker.wait_for(1)
        assert len(broker.sent) == number + 1


def test_survives_a_broker_that_raises_and_counts_it(broker, kicker):
    broker.fails = 2
    for name in ("a", "b", "c"):
        kicker.tell(name, 0.0)
    broker.wait_for(3)
    assert [name for name, _after in broker.sent] == ["a", "b", "c"]
    assert kicker.lost == 2


def test_never_makes_its_teller_wait():
    """A broker that hangs holds the kicks' own thread, and no request."""
    all_told, ended, was_free = threading.Event(), threading.Event(), []

    def hang(connection_id, after):
        was_free.append(all_told.wait(10))
        ended.set()

    Kicker(hang).tell("a", 0.0)
    all_told.set()
    assert ended.wait(20)
    assert was_free == [True]


@pytest.mark.django_db
def test_waits_for_the_commit(cast, broker, kicker, django_capture_on_commit_callbacks):
    guest = mirror.guest(mirror.event(mirror.connection(cast.organization)), status="pending_approval")
    with django_capture_on_commit_callbacks(execute=True):
        outbox.put("attendees.approve", guest, by=None)
        assert broker.sent == []
    broker.wait_for(1)
    assert broker.sent == [(str(guest.connection_id), 10.0)]


@pytest.mark.django_db
def test_says_nothing_of_what_was_rolled_back(cast, kicker, broker, django_capture_on_commit_callbacks):
    guest = mirror.guest(mirror.event(mirror.connection(cast.organization)), status="pending_approval")
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        with transaction.atomic():
            outbox.put("attendees.approve", guest, by=None)
            transaction.set_rollback(True)
        kicks.send("another")
    broker.wait_for(1)
    assert len(callbacks) == 1
    assert broker.sent == [("another", 0.0)]


@pytest.mark.django_db(transaction=True)
def test_leaves_the_change_in_place_whatever_the_broker_does(cast, broker, kicker):
    guest = mirror.guest(mirror.event(mirror.connection(cast.organization)), status="pending_approval")
    broker.fails = 1
    with transaction.atomic():
        command = outbox.put("attendees.approve", guest, by=None)
    broker.wait_for(1)
    command.refresh_from_db()
    assert command.state == "waiting"
