"""One act on many rows: made slice by slice, counted by one bar, undone, cancelled, sent again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import AuditEntry
from organizer.attendees.models import Attendee
from organizer.sync import batches, outbox, registry
from organizer.sync import mirror as engine_mirror
from organizer.sync.models import Batch, Command, Lane, State
from organizer.upstream.errors import Refused
from tests.support import mirror
from tests.sync.engine import Engine

pytestmark = pytest.mark.django_db
REFUSED = Refused("Sold out.", 422, "Sold out.", [])


@pytest.fixture
def connection(cast):
    return mirror.connection(cast.organization)


@pytest.fixture
def engine(connection, clock):
    return Engine(connection, clock)


@pytest.fixture
def event(connection):
    return mirror.event(connection)


@pytest.fixture
def start(connection, cast):
    def start(guests, kind="approve", **params):
        keys = [guest.pk for guest in guests]
        return batches.start(f"attendees.{kind}", keys, connection=connection, by=cast.max, params=params)

    return start


def pending(event, number):
    return [mirror.guest(event, status="pending_approval") for _ in range(number)]


def sums(batch):
    now = batches.progress(Batch.objects.get(pk=batch.pk))
    return {"done": now.done, "failed": now.failed, "taken_back": now.taken_back, "left": now.left}


def later(engine):
    """The time for undoing is over, by the engine's clock, which began with the test."""
    engine.clock.forward(60)
    engine.run(500)


def test_shows_a_few_rows_changed_within_the_request(event, start):
    batch = start(pending(event, 3), notify_guest=True)
    assert set(Attendee.objects.values_list("status", flat=True)) == {"valid"}
    assert sums(batch) == {"done": 0, "failed": 0, "taken_back": 0, "left": 3}
    assert {command.due_at for command in Command.objects.all()} == {batch.due_at}


def test_makes_the_commands_of_many_slice_by_slice(event, start, monkeypatch):
    monkeypatch.setattr(batches, "AT_ONCE", 2)
    monkeypatch.setattr(batches, "SLICE", 4)
    batch = start(pending(event, 10))
    assert Command.objects.count() == 0
    made = []
    more = True
    while more:
        more = batches.expand(batch.pk)
        made.append(Command.objects.count())
    assert made == [4, 8, 10]
    assert not batches.expand(batch.pk)
    assert Command.objects.count() == 10


def test_goes_on_where_a_process_died(event, start, monkeypatch):
    monkeypatch.setattr(batches, "AT_ONCE", 0)
    monkeypatch.setattr(batches, "SLICE", 2)
    batch = start(pending(event, 5))
    batches.expand(batch.pk)
    assert [one.pk for one in batches.to_expand()] == [batch.pk]
    while batches.expand(batch.pk):
        pass
    assert Command.objects.values("target_id").distinct().count() == Command.objects.count() == 5
    assert list(batches.to_expand()) == []


def test_writes_who_did_it_for_each_guest(event, start):
    guests = pending(event, 2)
    start(guests, notify_guest=True)
    trail = AuditEntry.objects.filter(verb="attendee.approve")
    assert {(entry.by_name, entry.target_id) for entry in trail} == {
        ("max@harbour.test", str(guest.pk)) for guest in guests
    }
    assert all(entry.after == {"notify_guest": True} for entry in trail)


def test_says_of_each_guest_for_whom_it_is_of_no_use(engine, event, start):
    going = mirror.guest(event, status="valid")
    batch = start([going, *pending(event, 2)])
    assert sums(batch) == {"done": 0, "failed": 1, "taken_back": 0, "left": 2}
    refused = Command.objects.get(state=State.REFUSED)
    assert (refused.target_id, refused.reason) == (going.pk, "is going already")
    assert Attendee.objects.get(pk=going.pk).outbox == {}  # the bar says it, not the row
    later(engine)
    assert sums(batch) == {"done": 2, "failed": 1, "taken_back": 0, "left": 0}
    assert len(engine.api.sent) == 2


def test_never_touches_another_organizations_guests(cast, event, start):
    theirs = mirror.guest(mirror.event(mirror.connection(cast.elsewhere)), status="pending_approval")
    start([theirs, *pending(event, 1)])
    assert Command.objects.count() == 1
    assert Attendee.objects.get(pk=theirs.pk).status == "pending_approval"


@pytest.mark.parametrize(("number", "lane"), [(10, Lane.PERSON), (11, Lane.BULK)])
def test_goes_in_a_persons_lane_while_it_is_small(event, start, number, lane):
    start(pending(event, number))
    assert set(Command.objects.values_list("lane", flat=True)) == {lane}


def test_can_be_undone_whole_until_it_is_due(engine, event, start):
    batch = start(pending(event, 5))
    assert batches.progress(batch).may_undo
    batches.cancel(batch)
    assert set(Attendee.objects.values_list("status", flat=True)) == {"pending_approval"}
    assert sums(batch) == {"done": 0, "failed": 0, "taken_back": 5, "left": 0}
    later(engine)
    assert engine.api.sent == []


def test_keeps_what_is_done_when_it_is_cancelled(engine, event, start):
    batch = start(pending(event, 5))
    engine.clock.forward(60)
    engine.step()
    engine.step()
    batches.cancel(Batch.objects.get())
    engine.run()
    assert sums(batch) == {"done": 2, "failed": 0, "taken_back": 3, "left": 0}
    assert len(engine.api.sent) == 2


def test_makes_no_more_commands_once_it_is_cancelled(event, start, monkeypatch):
    monkeypatch.setattr(batches, "AT_ONCE", 2)
    monkeypatch.setattr(batches, "SLICE", 4)
    batch = start(pending(event, 10))
    batches.expand(batch.pk)
    batches.cancel(batch)
    while batches.expand(batch.pk):
        pass
    assert sums(batch) == {"done": 0, "failed": 0, "taken_back": 10, "left": 0}
    assert set(Attendee.objects.values_list("status", flat=True)) == {"pending_approval"}


def test_counts_each_row_once_after_a_retry(engine, event, start, cast):
    batch = start(pending(event, 4))
    engine.api.script = [REFUSED, REFUSED]
    later(engine)
    batches.finish()
    assert sums(batch) == {"done": 2, "failed": 2, "taken_back": 0, "left": 0}
    assert batches.retry(Batch.objects.get(), by=cast.max) == 2
    assert sums(batch) == {"done": 2, "failed": 0, "taken_back": 0, "left": 2}
    assert [now.batch.pk for now in batches.under_way(cast.organization)] == [batch.pk]
    engine.run()
    assert sums(batch) == {"done": 4, "failed": 0, "taken_back": 0, "left": 0}


def refuse_all():
    open_ones = Command.objects.filter(state=State.WAITING)
    open_ones.update(state=State.REFUSED, status=422, ended_at=timezone.now())
    engine_mirror.refresh(registry.noun("attendees"), Attendee.objects.all())


def test_keeps_what_a_person_changed_when_all_is_sent_again(event, start, cast):
    batch = start(pending(event, 3), notify_guest=True)
    refuse_all()
    outbox.send_again(Command.objects.first(), by=None, params={"custom_message": "Sorry"})
    refuse_all()
    assert batches.retry(batch, by=cast.max) == 3
    again = Command.objects.filter(state=State.WAITING)
    assert sorted(command.params.get("custom_message", "") for command in again) == ["", "", "Sorry"]
    assert {command.by for command in again} == {cast.max}


def test_does_not_undo_by_a_retry_what_was_decided_since(engine, event, start, cast):
    batch = start(pending(event, 2))
    engine.api.script = [REFUSED, REFUSED]
    later(engine)
    engine.put("reject", Attendee.objects.first())
    later(engine)
    assert batches.retry(batch, by=cast.max) == 1
    later(engine)
    assert sorted(Attendee.objects.values_list("status", flat=True)) == ["rejected", "valid"]


def test_asks_the_database_no_more_for_more_rows(event, start, cast, django_assert_max_num_queries):
    batch = start(pending(event, 30))
    refuse_all()
    with django_assert_max_num_queries(20):
        assert batches.retry(batch, by=cast.max) == 30


def test_sends_nothing_again_that_may_have_mailed_somebody(event, start, cast):
    batch = start(pending(event, 1))
    Command.objects.update(state=State.PARKED, status=502)
    assert batches.retry(batch, by=cast.max) == 0


def test_is_over_when_its_last_command_has_ended(engine, event, start):
    batch = start(pending(event, 2))
    batches.finish()
    assert Batch.objects.get().finished_at is None
    later(engine)
    batches.finish()
    assert Batch.objects.get().finished_at is not None
    assert batches.progress(Batch.objects.get(pk=batch.pk)).is_over


def test_lets_a_persons_own_decision_stand(engine, event, start):
    """Who is decided about singly while the bulk waits leaves the bulk."""
    guests = pending(event, 3)
    batch = start(guests)
    guest = Attendee.objects.get(pk=guests[0].pk)
    outbox.put("attendees.delete", guest, by=None)
    later(engine)
    assert sums(batch) == {"done": 2, "failed": 0, "taken_back": 1, "left": 0}
    assert Attendee.objects.get(pk=guest.pk).status == "deleted"


def test_lets_a_person_go_before_a_bulk(engine, event, start):
    start(pending(event, 12))
    engine.clock.forward(60)
    engine.put("check_in", mirror.guest(event))
    engine.step()
    assert engine.bodies == [{"status": "checked_in"}]


def test_can_not_be_undone_any_more_when_it_is_due(event, start):
    batch = start(pending(event, 1))
    Batch.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert not batches.progress(Batch.objects.get(pk=batch.pk)).may_undo
