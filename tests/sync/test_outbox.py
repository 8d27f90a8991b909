"""A command from the click to its outcome: order, replacing, taking back, refusals, unknown outcomes, keys."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from organizer.attendees.models import Admission, Attendee, StatusCount
from organizer.connections.models import Connection, Health
from organizer.sync import actions, due, outbox, registry, sender
from organizer.sync import mirror as store
from organizer.sync.models import FAILED, OPEN, Command, Lane, Outlet, State, Sweep
from organizer.sync.outbox import CouldNotRepeat
from organizer.sync.rules import lay_over
from organizer.upstream.errors import (
    Broken,
    InProgress,
    KeyRefused,
    Limited,
    NotFound,
    Refused,
    ScopeMissing,
    Unreachable,
)
from organizer.upstream.event_api import attendees
from tests.support import mirror
from tests.sync.engine import Engine, state, states

pytestmark = pytest.mark.django_db
REFUSED = Refused("This ticket was cancelled.", 422, "This ticket was cancelled.", [])
SILENCE = Unreachable("It did not answer in time.")
MAIL = {"notify_guest": True, "custom_message": "Ahoi"}


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
def guest(event):
    return mirror.guest(event, status="pending_approval")


def fresh(guest):
    return Attendee.objects.get(pk=guest.pk)


# --- put ---


def test_shows_the_outcome_at_once(engine, guest):
    command = engine.put("approve", guest, params=MAIL)
    row = fresh(guest)
    assert (row.status, row.payload["status"]) == ("valid", "pending_approval")
    assert row.outbox == {
        "state": "waiting", "kind": "attendees.approve", "seq": command.seq, "by": "system",
        "due": (engine.clock() + timedelta(seconds=10)).isoformat(),
    }  # fmt: skip


def test_moves_the_counts_with_it(engine, guest):
    engine.put("approve", guest)
    sums = StatusCount.objects.filter(event=guest.event)
    assert sum(row.count for row in sums if row.status == "valid") == 1
    assert sum(row.count for row in sums if row.status == "pending_approval") == 0


def test_sends_a_decision_after_ten_seconds_and_a_check_in_at_once(engine, event, guest):
    going = mirror.guest(event)
    engine.put("approve", guest)
    engine.put("check_in", going)
    engine.step()
    assert engine.bodies == [{"status": "checked_in"}]
    assert engine.step() == 10.0
    engine.clock.forward(10)
    engine.step()
    assert engine.bodies[1:] == [{"status": "valid"}]


def test_takes_the_answer_into_the_mirror(engine, guest):
    command = engine.put("approve", guest)
    engine.run()
    row = fresh(guest)
    assert state(command) == State.DONE
    assert (row.status, row.payload["last_name"], row.outbox) == ("valid", "Answered", {})
    assert row.written_at is not None


def test_takes_an_answer_without_an_object_for_what_was_asked(engine, guest):
    engine.put("delete", guest)
    engine.run()
    assert engine.api.sent[0].method == "DELETE"
    assert (fresh(guest).status, fresh(guest).outbox) == ("deleted", {})


def test_words_a_request_once_and_repeats_it_byte_for_byte(engine, guest):
    command = engine.put("approve", guest, params=MAIL)
    engine.api.script = [SILENCE, SILENCE]
    engine.clock.forward(10)
    engine.step()
    Command.objects.filter(pk=command.pk).update(params={"notify_guest": False})
    engine.run()
    assert len(engine.api.sent) == 3
    assert len({(sent.path, str(sent.body), sent.key) for sent in engine.api.sent}) == 1
    assert engine.bodies[0] == {"status": "valid"} | MAIL
    assert engine.api.sent[0].key == str(command.key)


def test_replaces_a_decision_that_waits(engine, guest):
    first = engine.put("approve", guest)
    second = engine.put("delete", guest)
    assert states(first, second) == [State.CANCELLED, State.WAITING]
    engine.run()
    assert [sent.method for sent in engine.api.sent] == ["DELETE"]


def test_does_not_replace_a_decision_that_is_on_its_way(engine, guest):
    first = engine.put("approve", guest)
    Command.objects.update(state=State.SENDING, first_at=engine.clock())
    second = engine.put("delete", guest)
    assert states(first, second) == [State.SENDING, State.WAITING]


def test_does_not_replace_what_may_have_been_done(engine, guest):
    first = engine.put("approve", guest)
    engine.api.script = [SILENCE]
    engine.clock.forward(10)
    engine.step()
    engine.put("reject", guest)
    assert state(first) == State.WAITING


def test_does_not_replace_a_check_in(engine, event):
    guest = mirror.guest(event)
    first = engine.put("check_in", guest)
    engine.put("delete", guest)
    assert state(first) == State.WAITING


# --- take back ---


def test_takes_back_what_waits(engine, guest):
    command = engine.put("approve", guest)
    assert outbox.take_back([command]) == [command]
    assert (fresh(guest).status, fresh(guest).outbox) == ("pending_approval", {})
    engine.run()
    assert engine.api.sent == []


def test_takes_nothing_back_that_was_claimed(engine, guest):
    command = engine.put("approve", guest)
    engine.clock.forward(10)
    engine.api.script = [lambda sent: engine.api.obey(sent) if not outbox.take_back([command]) else SILENCE]
    engine.run()
    assert state(command) == State.DONE


def test_takes_nothing_back_that_may_have_been_done(engine, guest):
    command = engine.put("approve", guest)
    engine.api.script = [SILENCE]
    engine.clock.forward(10)
    engine.step()
    assert outbox.take_back([command]) == []
    assert state(command) == State.WAITING


@pytest.mark.parametrize("error", [Limited(5.0), KeyRefused("no"), ScopeMissing("no", "attendees:write")])
def test_takes_back_what_was_turned_away_before_it_was_done(engine, guest, error):
    command = engine.put("approve", guest)
    engine.api.script = [error]
    engine.clock.forward(10)
    engine.step()
    assert outbox.take_back([command]) == [command]


def test_takes_nothing_back_of_which_the_api_says_that_it_is_being_done(engine, guest):
    command = engine.put("approve", guest)
    engine.api.script = [InProgress("wait")]
    engine.clock.forward(10)
    engine.step()
    assert outbox.take_back([command]) == []


# --- order ---


def test_sends_the_commands_of_one_row_in_their_order(engine, guest):
    engine.put("approve", guest)
    engine.put("check_in", guest)
    assert engine.step() is not None
    assert engine.api.sent == []  # the check-in is due, and waits for the approval
    engine.run()
    assert [body["status"] for body in engine.bodies] == ["valid", "checked_in"]


def test_does_not_let_one_row_wait_for_another(engine, event):
    one, other = mirror.guest(event), mirror.guest(event)
    engine.put("check_in", one)
    engine.put("check_in", other)
    engine.api.script = [Limited(30.0)]
    engine.step()
    engine.step()
    assert len({sent.path for sent in engine.api.sent}) == 2


def test_sends_the_door_before_people_before_bulk(engine, event):
    for lane in (Lane.BULK, Lane.PERSON, Lane.DOOR):
        engine.put("check_in", mirror.guest(event, first_name=str(lane.label)), lane=lane)
    engine.run()
    assert engine.lanes == [Lane.DOOR, Lane.PERSON, Lane.BULK]


def test_keeps_one_hand_free_of_bulk(engine, event):
    busy = [engine.put("check_in", mirror.guest(event), lane=Lane.BULK) for _ in range(4)]
    hands = Command.objects.filter(pk__in=[command.pk for command in busy[:3]])
    hands.update(state=State.SENDING, holder="elsewhere", until=engine.clock() + timedelta(seconds=60))
    engine.step()
    assert engine.api.sent == []
    engine.put("check_in", mirror.guest(event), lane=Lane.PERSON)
    engine.step()
    assert engine.lanes == [Lane.PERSON]


def test_sends_with_four_hands_at_most(engine, event):
    for _ in range(5):
        engine.put("check_in", mirror.guest(event), lane=Lane.DOOR)
    hands = Command.objects.filter(pk__in=list(Command.objects.values_list("pk", flat=True)[:4]))
    hands.update(state=State.SENDING, holder="elsewhere", until=engine.clock() + timedelta(seconds=60))
    engine.step()
    assert engine.api.sent == []


# --- refused ---


def test_shows_a_refusal_until_it_was_seen(engine, guest):
    command = engine.put("approve", guest)
    engine.api.script = [REFUSED]
    engine.run()
    row = fresh(guest)
    assert (state(command), row.status, row.needs_attention) == (State.REFUSED, "pending_approval", True)
    assert row.outbox["reason"] == "This ticket was cancelled."
    outbox.mark_seen([command])
    row = fresh(guest)
    assert (row.outbox, row.needs_attention) == ({}, False)
    assert Command.objects.get().answer["message"] == "This ticket was cancelled."


def test_refuses_what_stands_behind_a_refusal(engine, guest):
    first, second = engine.put("approve", guest), engine.put("check_in", guest)
    engine.api.script = [REFUSED]
    engine.run()
    assert states(first, second) == [State.REFUSED, State.REFUSED]
    assert Command.objects.get(pk=second.pk).reason == "Because approving was refused."
    assert len(engine.api.sent) == 1


def test_refuses_nothing_of_another_row(engine, event, guest):
    engine.put("approve", guest)
    other = engine.put("approve", mirror.guest(event, status="pending_approval"))
    engine.api.script = [REFUSED]
    engine.run()
    assert state(other) == State.DONE


def test_reads_a_row_again_that_was_refused(engine, guest):
    hour = engine.clock() + timedelta(hours=1)
    mirror.swept(engine.connection, "attendees", guest.event.remote_id, at=engine.clock())
    Sweep.objects.update(next_at=hour)
    engine.put("approve", guest)
    engine.api.script = [NotFound("Attendee not found", "Attendee not found")]
    engine.run()
    assert Sweep.objects.get().next_at < hour
    assert fresh(guest).outbox["reason"] == "It is no longer found at the provider."


def test_keeps_a_guest_inside_whom_the_provider_refuses(engine, event):
    guest = mirror.guest(event)
    command = engine.put("check_in", guest)
    Admission.objects.create(
        organization=guest.organization, event=event, attendee=guest, by_name="Dora", command_seq=command.seq
    )
    engine.api.script = [REFUSED]
    engine.run()
    assert fresh(guest).status == "checked_in"
    outbox.mark_seen([command])
    row = fresh(guest)
    assert (row.status, row.needs_attention) == ("checked_in", True)
    assert row.outbox == {"state": "unrecorded", "reason": "This ticket was cancelled."}


# --- held ---


def test_holds_everything_while_the_key_is_refused_and_goes_on_by_itself(engine, event):
    commands = [engine.put("check_in", mirror.guest(event)) for _ in range(3)]
    engine.api.script = [KeyRefused("Invalid or revoked API key")]
    engine.step()
    engine.connection.refresh_from_db()
    assert engine.connection.health == Health.KEY_REFUSED
    assert due.to_send(engine.clock()).count() == 0
    assert set(states(*commands)) == {State.WAITING}
    Connection.objects.update(health=Health.WORKING)
    assert due.to_send(engine.clock()).count() == 1
    engine.run()
    assert set(states(*commands)) == {State.DONE}


def test_never_takes_a_new_key_for_the_one_that_was_refused(engine, event):
    """Somebody saves another key while the old one is asked with: the client at hand still has the old one."""

    def replace(sent):
        Connection.objects.update(key_fingerprint="new", health=Health.WORKING)
        return KeyRefused("Invalid or revoked API key")

    engine.put("check_in", mirror.guest(event))
    engine.api.script = [replace]
    at_work = engine.sender()
    assert at_work.step() == sender.HELD
    engine.connection.refresh_from_db()
    assert engine.connection.health == Health.WORKING


@pytest.mark.parametrize("named", ["attendees:write", "guests.manage"])
def test_holds_only_what_needs_the_scope_that_is_missing(engine, event, named):
    held = engine.put("check_in", mirror.guest(event))
    free = engine.put("check_in", mirror.guest(event))
    Command.objects.filter(pk=free.pk).update(scope="another:write")
    engine.api.script = [ScopeMissing("The key lacks a scope.", named)]
    engine.run()
    assert states(held, free) == [State.WAITING, State.DONE]
    assert len(engine.api.sent) == 2


# --- unknown ---


@pytest.mark.parametrize("error", [SILENCE, Broken("It answered 502.", 502)])
def test_repeats_what_may_have_been_done_with_the_same_key(engine, guest, error):
    command = engine.put("approve", guest, params=MAIL)
    engine.api.script = [engine.api.obey_and_break(error)] * 4
    engine.run()
    assert state(command) == State.DONE
    assert len({sent.key for sent in engine.api.sent}) == 1
    assert Command.objects.get().attempts == 4
    assert engine.api.read == []


def test_counts_no_attempt_for_a_limit(engine, guest):
    engine.put("approve", guest)
    engine.api.script = [Limited(7.0), Limited(7.0)]
    engine.run()
    assert Command.objects.get().attempts == 0


def test_lets_all_rest_when_the_provider_is_silent(engine, event):
    for _ in range(3):
        engine.put("check_in", mirror.guest(event))
    engine.api.script = [SILENCE]
    assert engine.step() == 2.0
    assert engine.step() == pytest.approx(2.0)
    assert len(engine.api.sent) == 1
    assert Outlet.objects.get().failures == 1
    engine.run()
    assert Outlet.objects.get().failures == 0


def test_lets_one_command_fail_that_alone_is_at_fault(engine, event):
    for _ in range(3):
        engine.put("check_in", mirror.guest(event))
    engine.api.script = [Broken("It answered 500.", 500)]
    for _ in range(3):
        engine.step()
    assert len(engine.api.sent) == 3


def late(engine, guest, kind="approve", *, done=False, **params):
    """An outcome that is unknown for longer than the API remembers a key."""
    command = engine.put(kind, guest, params=params)
    engine.clock.forward(10)
    engine.api.script = [engine.api.obey_and_break(SILENCE) if done else SILENCE]
    engine.api.statuses.setdefault(guest.remote_id, "pending_approval")
    engine.step()
    engine.clock.forward(24 * 3600)
    engine.run()
    return Command.objects.get(pk=command.pk)


def test_reads_first_what_is_too_old_to_repeat_and_finds_it_done(engine, guest):
    command = late(engine, guest, done=True, **MAIL)
    assert (command.state, len(engine.api.sent), len(engine.api.read)) == (State.DONE, 1, 1)
    assert fresh(guest).status == "valid"


def test_sends_anew_what_was_not_done_and_mails_nobody(engine, guest):
    command = late(engine, guest)
    assert command.state == State.DONE
    first, second = engine.api.sent
    assert first.key != second.key


def test_parks_what_was_not_done_and_would_mail(engine, guest):
    command = late(engine, guest, **MAIL)
    assert (command.state, len(engine.api.sent)) == (State.PARKED, 1)
    assert "second mail" in fresh(guest).outbox["reason"]
    assert fresh(guest).status == "pending_approval"


def test_refuses_what_stands_behind_something_parked(engine, guest):
    command = engine.put("approve", guest, params=MAIL)
    behind = engine.put("check_in", guest)
    engine.api.statuses[guest.remote_id] = "pending_approval"
    engine.api.script = [SILENCE]
    engine.clock.forward(10)
    engine.step()
    engine.clock.forward(24 * 3600)
    engine.run()
    assert states(command, behind) == [State.PARKED, State.REFUSED]
    assert Command.objects.get(pk=behind.pk).reason == "Because nobody knows whether approving was done."


def test_reads_first_where_another_key_asked(engine, guest):
    command = engine.put("approve", guest, params=MAIL)
    engine.clock.forward(10)
    engine.api.script = [engine.api.obey_and_break(SILENCE)]
    engine.step()
    Connection.objects.update(key_fingerprint="of another key")
    engine.run()
    assert (state(command), len(engine.api.sent)) == (State.DONE, 1)


def test_gives_back_what_a_bug_of_ours_kept_from_being_sent(engine, guest):
    command = engine.put("approve", guest)
    engine.clock.forward(10)

    def bug(sent):
        raise ZeroDivisionError

    engine.api.script = [bug]
    assert engine.step() == 0.0
    assert state(command) == State.WAITING
    engine.run()
    assert state(command) == State.DONE


def test_frees_what_a_dead_process_was_sending(engine, guest):
    command = engine.put("approve", guest)
    claimed = {"state": State.SENDING, "holder": "elsewhere/1:99:x:y", "first_at": engine.clock()}
    Command.objects.update(**claimed, until=engine.clock() + timedelta(seconds=60))
    due.recover(engine.clock())
    assert state(command) == State.SENDING
    engine.clock.forward(61)
    assert due.recover(engine.clock()) == 1
    assert Command.objects.get().attempts == 1
    engine.run()
    assert state(command) == State.DONE


def test_does_not_settle_what_another_has_taken_over(engine, guest):
    command = engine.put("approve", guest)
    engine.clock.forward(10)

    def slow(sent):
        Command.objects.update(holder="somebody else", until=engine.clock() + timedelta(seconds=60))
        return engine.api.obey(sent)

    engine.api.script = [slow]
    engine.step()
    assert state(command) == State.SENDING
    assert fresh(guest).payload["status"] == "pending_approval"


# --- a person repairs ---


def test_sends_again_with_a_key_of_its_own(engine, guest):
    command = engine.put("approve", guest, params=MAIL)
    engine.api.script = [REFUSED]
    engine.run()
    again = outbox.send_again(Command.objects.get(), by=None, params={"custom_message": "Sorry"})
    assert again.key != command.key
    assert states(command, again) == [State.CANCELLED, State.WAITING]
    engine.run()
    assert engine.bodies[-1] == {"status": "valid", "notify_guest": True, "custom_message": "Sorry"}
    assert fresh(guest).outbox == {}


@pytest.mark.parametrize("open_or_over", [State.WAITING, State.SENDING, State.DONE, State.CANCELLED])
def test_repeats_only_what_has_failed(engine, guest, open_or_over):
    command = engine.put("approve", guest)
    Command.objects.update(state=open_or_over)
    with pytest.raises(CouldNotRepeat):
        outbox.send_again(command, by=None)
    with pytest.raises(CouldNotRepeat):
        outbox.it_was_done(command)
    assert Command.objects.count() == 1


def test_believes_a_person_and_reads_again(engine, guest):
    mirror.swept(engine.connection, "attendees", guest.event.remote_id, at=engine.clock())
    command = late(engine, guest, **MAIL)
    outbox.it_was_done(command)
    assert (state(command), fresh(guest).outbox, fresh(guest).needs_attention) == (State.DONE, {}, False)
    assert Sweep.objects.get().next_at is not None


# --- the worker's pulse ---


def test_tells_since_when_something_waits_that_nothing_holds(engine, event):
    assert due.oldest_due(engine.clock()) is None
    since = engine.clock()
    engine.put("check_in", mirror.guest(event))
    engine.clock.forward(40)
    assert due.oldest_due(engine.clock()) == since


def test_tells_nothing_of_what_is_held_rests_or_is_a_bulk(engine, event):
    engine.put("check_in", mirror.guest(event), lane=Lane.BULK)
    engine.clock.forward(40)
    assert due.oldest_due(engine.clock()) is None
    engine.put("check_in", mirror.guest(event))
    for changed in ({"health": Health.KEY_REFUSED}, {"health": "working", "scopes": {"attendees:write": "denied"}}):
        Connection.objects.update(**changed)
        assert due.oldest_due(engine.clock()) is None
    Connection.objects.update(scopes={})
    Outlet.objects.create(connection=engine.connection, failures=1, next_at=engine.clock() + timedelta(seconds=9))
    assert due.oldest_due(engine.clock()) is None


# --- what is over ---


def test_forgets_after_90_days_what_is_over_and_was_seen(engine, event):
    kinds = {"done": {}, "cancelled": {}, "waiting": {}, "refused": {}, "parked": {"seen_at": engine.clock()}}
    for name, fields in kinds.items():
        mirror.command(mirror.guest(event), state=name, ended_at=engine.clock() - timedelta(days=1), **fields)
    actions.housekeep(engine.clock() + timedelta(days=88))
    assert Command.objects.count() == 5
    actions.housekeep(engine.clock() + timedelta(days=90))
    assert set(Command.objects.values_list("state", flat=True)) == {"waiting", "refused"}


# --- whatever happens, in whatever order ---

ACTS = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(["approve", "reject", "return", "delete", "check_in", "undo_check_in"])),
    st.tuples(st.just("send"), st.sampled_from([None, REFUSED, SILENCE, Limited(2.0), InProgress("wait")])),
    st.tuples(st.just("sweep"), st.sampled_from(["valid", "pending_approval", "rejected", "checked_in"])),
    st.tuples(st.sampled_from(["take_back", "mark_seen", "send_again", "it_was_done"]), st.integers(0, 4)),
    st.tuples(st.just("forward"), st.sampled_from([1, 10, 60, 24 * 3600])),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(acts=st.lists(ACTS, max_size=14))
def test_is_always_the_payload_with_the_open_commands_over_it(cast, clock, acts):
    engine = Engine(mirror.connection(cast.organization), clock)
    guest = mirror.guest(mirror.event(engine.connection), status="pending_approval")
    for verb, what in acts:
        act(engine, guest, verb, what)
        row = fresh(guest)
        mine = Command.objects.filter(target_id=guest.pk).order_by("seq")
        layers = [command.fields for command in mine if command.state in OPEN]
        assert row.status == lay_over(row.payload, layers)["status"]
        failed = [command for command in mine if command.state in FAILED and command.seen_at is None]
        assert row.needs_attention == bool(failed and not layers)
        assert bool(row.outbox) == bool(failed or layers)
        counts = StatusCount.objects.filter(event=guest.event)
        assert sum(one.count for one in counts) == sum(one.count for one in counts if one.status == row.status) == 1
        assert len([command for command in mine if command.state == State.SENDING]) == 0
    keys = [sent.key for sent in engine.api.sent]
    assert set(keys) <= set(map(str, Command.objects.values_list("key", flat=True))) or "forward" in dict(acts)


def act(engine, guest, verb, what):
    match verb:
        case "put":
            engine.put(what, guest)
        case "send":
            engine.api.statuses.setdefault(guest.remote_id, "pending_approval")
            engine.api.script = [what] if what else []
            engine.step()
        case "forward":
            engine.clock.forward(what)
        case "sweep":
            row = fresh(guest)
            item = attendees.read(row.payload | {"status": what})
            read = store.Read(engine.connection, guest.event.remote_id, [item], 1, engine.clock())
            store.store(registry.noun("attendees"), read)
        case _:
            mine = list(Command.objects.filter(target_id=guest.pk).order_by("seq"))
            if what < len(mine):
                repair(verb, mine[what])


def repair(verb, command):
    try:
        match verb:
            case "take_back":
                outbox.take_back([command])
            case "mark_seen":
                outbox.mark_seen([command])
            case "send_again":
                outbox.send_again(command, by=None)
            case "it_was_done":
                outbox.it_was_done(command)
    except CouldNotRepeat:
        pass
