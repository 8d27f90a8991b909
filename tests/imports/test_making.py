"""The rows of a file become guests slice by slice: all of them, each once, whatever dies in between."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.attendees.models import Attendee, StatusCount
from organizer.imports import actions
from organizer.imports.kinds import ImportGuest, row_id
from organizer.imports.models import Import
from organizer.sync import batches
from organizer.sync.models import Batch, Command, State
from organizer.upstream.errors import Refused
from tests.imports.conftest import file_of
from tests.support import mirror
from tests.sync.engine import Engine
from tests.sync.scripted import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def engine(event, clock):
    return Engine(event.connection, clock)


def started(found, cast):
    return actions.start(found=found, by=cast.olive).batch


def made(sent):
    return {"data": [guest_of(sent, f"made-{sent.body['contact']['email']}")], "payment_id": None, "quantity": 1}


def guest_of(sent, id_):
    return {
        "id": id_,
        "status": sent.body["status"],
        **sent.body["contact"],
        "ticket_class_id": sent.body["ticket_class_id"],
    }


def expand(batch):
    while batches.expand(batch.pk):
        pass


class TestSlices:
    def test_leave_10_000_to_the_worker(self, cast, tried, django_assert_max_num_queries):
        found = tried(file_of(10_000))
        with django_assert_max_num_queries(25):
            batch = started(found, cast)
        assert (batch.total, batch.expanded, Command.objects.count()) == (10_000, 0, 0)
        assert batches.expand(batch.pk)
        assert Attendee.objects.count() == Command.objects.count() == batches.SLICE
        assert sum(StatusCount.objects.values_list("count", flat=True)) == batches.SLICE

    def test_are_made_whole_or_not_at_all(self, cast, tried, monkeypatch):
        monkeypatch.setattr(batches, "AT_ONCE", 0)
        monkeypatch.setattr(batches, "SLICE", 4)
        batch = started(tried(file_of(10)), cast)
        batches.expand(batch.pk)
        usual = ImportGuest.request

        def dies(*_args):
            raise SystemExit

        monkeypatch.setattr(ImportGuest, "fields", dies)
        with pytest.raises(SystemExit):
            batches.expand(batch.pk)
        assert (Attendee.objects.count(), Command.objects.count()) == (4, 4)
        monkeypatch.undo()
        assert ImportGuest.request is usual
        expand(batch)
        assert (Attendee.objects.count(), Command.objects.count()) == (10, 10)

    def test_name_each_guest_by_file_and_row(self, cast, tried):
        found = tried(file_of(2))
        batch = started(found, cast)
        assert {guest.pk for guest in Attendee.objects.all()} == {row_id(found.pk, 2), row_id(found.pk, 3)}
        Batch.objects.filter(pk=batch.pk).update(expanded=0)
        expand(batch)
        assert Attendee.objects.count() == 2
        assert {one.reason for one in Command.objects.filter(state=State.REFUSED)} == {
            "This address has a ticket already (going)"
        }

    def test_look_once_more_who_has_come_meanwhile(self, cast, tried, event, general, monkeypatch):
        monkeypatch.setattr(batches, "AT_ONCE", 0)
        batch = started(tried(file_of(2)), cast)
        mirror.guest(event, general, email="Guest1@file.test")
        expand(batch)
        refused = Command.objects.get(state=State.REFUSED)
        assert (refused.target_name, refused.reason) == (
            "Guest 1 Öst", "This address has a ticket already (going)",
        )  # fmt: skip
        assert Command.objects.get(state=State.WAITING).params["email"] == "guest0@file.test"


class TestTheOutbox:
    def test_sends_one_order_for_each_guest(self, cast, tried, engine, general):
        batch = started(tried(file_of(3), payment_method="free"), cast)
        engine.clock.forward(11)
        engine.api.script = [made] * 3
        engine.run()
        assert {sent.path.rsplit("/", 1)[-1] for sent in engine.api.sent} == {"attendees"}
        assert engine.bodies[0] == {
            "ticket_class_id": general.remote_id,
            "contact": {"email": "guest0@file.test", "first_name": "Guest 0", "last_name": "Öst"},
            "quantity": 1,
            "status": "valid",
            "send_email": False,
            "payment_method": "free",
        }
        assert len({sent.key for sent in engine.api.sent}) == 3
        assert set(Attendee.objects.values_list("remote_id", flat=True)) == {
            f"made-guest{n}@file.test" for n in range(3)
        }
        batches.finish()
        assert batches.progress(Batch.objects.get(pk=batch.pk)).done == 3

    def test_waits_while_it_can_be_undone(self, cast, tried, engine):
        started(tried(file_of(1)), cast)
        assert engine.step() > 5
        assert engine.api.sent == []

    def test_takes_the_ticket_of_who_was_invited(self, cast, tried, engine, event, general):
        invited = mirror.guest(event, general, email="guest0@file.test", status="invited")
        started(tried(file_of(1)), cast)
        engine.clock.forward(11)
        engine.api.script = [lambda sent: {"data": [guest_of(sent, invited.remote_id)]}]
        engine.run()
        assert [(one.remote_id, one.status) for one in Attendee.objects.all()] == [(invited.remote_id, "valid")]

    def test_keeps_whom_the_api_refused_with_the_reason(self, cast, tried, engine, client, event):
        found = tried(file_of(2))
        batch = started(found, cast)
        engine.clock.forward(11)
        full = Refused("This ticket class is sold out", 422, "This ticket class is sold out", [])
        engine.api.script = [full, made, made]
        engine.run()
        refused = Attendee.objects.get(remote_id=None)
        assert (refused.name, refused.outbox["state"]) == ("Guest 0 Öst", "refused")
        client.force_login(cast.olive)
        assert "This ticket class is sold out" in client.get(f"/o/harbour/batches/{batch.pk}/").content.decode()
        report = client.get(f"/o/harbour/imports/{found.pk}/refused.csv").content.decode()
        assert "guest0@file.test,Guest 0 Öst,2,This ticket class is sold out" in report
        client.post(f"/o/harbour/batches/{batch.pk}/retry/")
        engine.run()
        assert Attendee.objects.filter(remote_id=None).count() == 0
        assert batches.progress(Batch.objects.get(pk=batch.pk)).done == 2


class TestHousekeeping:
    def age(self, found, **by):
        Import.objects.filter(pk=found.pk).update(created_at=timezone.now() - timedelta(**by))

    def test_forgets_what_a_file_said_of_people(self, tried):
        found = tried(file_of(2))
        self.age(found, days=8)
        assert actions.forget() == 1
        found.refresh_from_db()
        assert (found.rows, found.checked, found.counts) == ([], [], {"add": 2})

    def test_keeps_it_for_a_week_and_as_long_as_guests_are_made_of_it(self, cast, tried, monkeypatch):
        monkeypatch.setattr(batches, "AT_ONCE", 0)
        new, under_way = tried(file_of(1)), tried(file_of(2))
        self.age(new, days=6)
        started(under_way, cast)
        self.age(under_way, days=8)
        assert actions.forget() == 0
        Batch.objects.update(finished_at=timezone.now())
        assert actions.forget() == 1

    def test_says_so(self, client, cast, tried):
        found = tried(file_of(2))
        self.age(found, days=8)
        actions.forget()
        client.force_login(cast.olive)
        answer = client.get(f"/o/harbour/imports/{found.pk}/").content.decode()
        assert "The rows of this file are deleted" in answer
        assert "Import 2 guests" not in answer
        client.post(f"/o/harbour/imports/{found.pk}/start/")
        assert not Batch.objects.exists()
