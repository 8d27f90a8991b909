"""Objects that the API is to make: the row is here first, and takes the id that it is given."""

from datetime import timedelta

import pytest

from organizer.attendees.models import Attendee
from organizer.events.models import Event, TicketClass
from organizer.sync import mirror as store
from organizer.sync import outbox, registry
from organizer.sync.models import Command, State, Sweep
from organizer.upstream.errors import Refused, Unreachable
from organizer.upstream.event_api import events, ticket_classes
from organizer.upstream.wire import Page
from tests.support import mirror
from tests.sync.engine import Engine, state, states

pytestmark = pytest.mark.django_db
WHEN = {"utc": "2027-05-01T17:00:00Z", "timezone": "Europe/Berlin"}
BODY = {"name": "Launch", "start": WHEN, "end": WHEN | {"utc": "2027-05-01T20:00:00Z"}, "location": "Pier 1"}
REFUSED = Refused("Validation failed", 400, "Validation failed", [{"path": "name", "message": "Taken.", "code": "x"}])


@pytest.fixture
def connection(cast):
    return mirror.connection(cast.organization)


@pytest.fixture
def engine(connection, clock):
    return Engine(connection, clock)


def new_event(engine, **body):
    row = Event(organization=engine.connection.organization, connection=engine.connection)
    [command] = outbox.make("events.create", [(row, BODY | body)], by=None, now=engine.clock())
    return row, command


def new_class(engine, event, **body):
    row = TicketClass(organization=event.organization, connection=engine.connection, event=event)
    params = {"name": "Early bird", "cost": 20} | body
    [command] = outbox.make("ticket_classes.create", [(row, params)], by=None, now=engine.clock())
    return row, command


def made(id_, **more):
    return {"data": {"id": id_, "status": "active"} | more}


def test_shows_the_row_before_the_api_knows_it(engine):
    row, command = new_event(engine)
    shown = Event.objects.get(pk=row.pk)
    assert (shown.name, shown.remote_id, shown.payload, shown.place) == ("Launch", None, {}, "Pier 1")
    assert (shown.outbox["state"], command.target_name) == ("waiting", "Launch")


def test_takes_the_id_that_the_api_gives(engine):
    row, command = new_event(engine)
    engine.api.script = [made("evt-new", name="Launch")]
    engine.run()
    shown = Event.objects.get(pk=row.pk)
    assert (shown.remote_id, shown.payload["name"], shown.outbox) == ("evt-new", "Launch", {})
    assert state(command) == State.DONE
    assert (engine.api.sent[0].method, engine.api.sent[0].path) == ("POST", "/events")
    assert engine.bodies == [BODY]
    assert Sweep.objects.filter(noun="ticket_classes", scope="evt-new").exists()


def test_is_one_with_the_row_that_a_sweep_has_made_meanwhile(engine):
    row, _command = new_event(engine)
    other = mirror.event(engine.connection, id="evt-new", name="Launch")
    child, guest = mirror.ticket_class(other), mirror.guest(other)
    engine.api.script = [made("evt-new", name="Launch")]
    engine.run()
    assert Event.objects.get() == row
    assert [TicketClass.objects.get(pk=child.pk).event, Attendee.objects.get(pk=guest.pk).event] == [row, row]


def test_a_lost_answer_is_asked_for_with_the_same_key(engine):
    row, _command = new_event(engine)
    engine.api.script = [Unreachable("It did not answer in time."), made("evt-new")]
    engine.run()
    assert len({sent.key for sent in engine.api.sent}) == 1
    assert Event.objects.get(pk=row.pk).remote_id == "evt-new"


def test_nobody_makes_it_twice_after_a_day(engine):
    row, command = new_event(engine)
    engine.api.script = [Unreachable("It did not answer in time.")]
    engine.step()
    engine.clock.forward(24 * 3600)
    engine.run()
    assert state(command) == State.PARKED
    assert len(engine.api.sent) == 1
    assert Event.objects.get(pk=row.pk).name == "Launch"


def test_it_was_done_leaves_it_to_the_list(engine):
    _row, command = new_event(engine)
    Command.objects.filter(pk=command.pk).update(state=State.PARKED)
    outbox.it_was_done(Command.objects.get(pk=command.pk))
    assert not Event.objects.exists()


def test_what_was_refused_stays_as_it_was_meant_until_it_is_set_aside(engine):
    row, command = new_event(engine)
    engine.api.script = [REFUSED]
    engine.run()
    shown = Event.objects.get(pk=row.pk)
    assert (shown.name, shown.outbox["state"], shown.needs_attention) == ("Launch", "refused", True)
    outbox.mark_seen([Command.objects.get(pk=command.pk)])
    assert not Event.objects.exists()


def test_is_sent_again_as_it_was_corrected(engine):
    row, command = new_event(engine)
    engine.api.script = [REFUSED, made("evt-2", name="Launch II")]
    engine.run()
    again = outbox.send_again(Command.objects.get(pk=command.pk), by=None, params={"name": "Launch II"})
    assert Event.objects.get(pk=row.pk).name == "Launch II"
    engine.run()
    assert states(command, again) == [State.CANCELLED, State.DONE]
    assert Event.objects.get(pk=row.pk).remote_id == "evt-2"


def test_a_child_waits_for_its_parent(engine):
    event, first = new_event(engine)
    child, second = new_class(engine, event)
    engine.api.script = [made("evt-new"), made("class-new", name="Early bird")]
    engine.run()
    assert [sent.path for sent in engine.api.sent] == ["/events", "/events/evt-new/ticket-classes"]
    assert TicketClass.objects.get(pk=child.pk).remote_id == "class-new"
    assert states(first, second) == [State.DONE, State.DONE]


def test_a_child_goes_with_its_parent(engine):
    event, first = new_event(engine)
    _child, second = new_class(engine, event)
    engine.api.script = [REFUSED]
    engine.run()
    assert states(first, second) == [State.REFUSED, State.REFUSED]
    assert Command.objects.get(pk=second.pk).reason == "Because creating was refused."
    outbox.mark_seen([Command.objects.get(pk=first.pk)])
    assert not Event.objects.exists()
    assert not TicketClass.objects.exists()
    assert not Command.objects.filter(seen_at=None, state=State.REFUSED).exists()


def test_a_change_waits_until_there_is_something_to_change(engine):
    row, _first = new_event(engine)
    outbox.put("events.edit", row, by=None, params={"name": "Launch!"}, now=engine.clock())
    engine.api.script = [made("evt-new", name="Launch"), made("evt-new", name="Launch!")]
    engine.run()
    assert [(sent.method, sent.path) for sent in engine.api.sent] == [("POST", "/events"), ("PATCH", "/events/evt-new")]
    assert Event.objects.get(pk=row.pk).name == "Launch!"


def test_the_first_class_of_a_copy_takes_the_place_of_the_one_that_came_with_the_event(engine):
    event = mirror.event(engine.connection)
    row, _command = new_class(engine, event, _first=True)
    there = ticket_classes.read({"id": "class-auto", "name": "General Admission", "status": "active"})
    engine.api.ticket_classes = Classes([there])
    engine.api.script = [made("class-auto", name="Early bird")]
    engine.run()
    [sent] = engine.api.sent
    assert (sent.method, sent.path) == ("PATCH", f"/events/{event.remote_id}/ticket-classes/class-auto")
    assert sent.body == {"name": "Early bird", "cost": 20}
    assert TicketClass.objects.get(pk=row.pk).remote_id == "class-auto"


class Classes:
    def __init__(self, items):
        self.items = items

    def page(self, event_id, number):
        return Page(tuple(self.items), (), number, 1, len(self.items), None)


def test_a_sweep_leaves_it_alone(engine, clock):
    row, _command = new_event(engine)
    item = events.read({"id": "evt-other", "name": "Other", "status": "active"})
    read = store.Read(engine.connection, "", [item], 5, clock() + timedelta(seconds=1))
    store.store(registry.noun("events"), read)
    shown = Event.objects.get(pk=row.pk)
    assert (shown.gone_at, shown.name, shown.outbox["state"]) == (None, "Launch", "waiting")
