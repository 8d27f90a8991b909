"""A guest added by hand: here at once, at the provider when it has answered, and corrected where it refused."""

import pytest

from organizer.accounts.models import AuditEntry, Role
from organizer.attendees.models import Attendee
from organizer.sync.models import Command, Lane, State
from organizer.upstream.errors import Refused
from tests.support import mirror
from tests.support.cast import person
from tests.sync.engine import Engine
from tests.sync.scripted import Clock

TAKEN = [{"path": "contact.email", "message": "This address bounces.", "code": "x"}]
BAD_EMAIL = Refused("Validation failed", 400, "Validation failed", TAKEN)
HTMX = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "attendee-x"}


@pytest.fixture
def general(event):
    return mirror.ticket_class(event, name="General", cost=0, free=True)


@pytest.fixture
def engine(event):
    return Engine(event.connection, Clock())


def made(sent):
    guest = {"id": "made", "status": sent.body["status"], "barcode": "FOY1", **sent.body["contact"]}
    return {"data": [guest], "payment_id": None, "quantity": 1}


def add(olive, event, general, **said):
    usual = {"email": "Nina@Mail.test", "first_name": "Nina", "last_name": "New", "status": "valid"}
    return olive.post(f"/o/harbour/events/{event.pk}/guests/add/", usual | {"ticket_class": general.pk} | said)


def page(olive, address):
    return " ".join(olive.get(address).content.decode().split())


class TestTheForm:
    def test_says_what_a_class_costs_and_begins_in_its_first_field(self, olive, event, general):
        mirror.ticket_class(event, name="Patron", cost=45.5, free=False, currency="usd")
        said = page(olive, f"/o/harbour/events/{event.pk}/guests/add/")
        assert ">General</option>" in said
        assert ">Patron · $45.50</option>" in said
        assert 'name="email"' in said.split(" autofocus")[0].rsplit("<input", 1)[1]

    def test_adds_a_guest_at_once(self, olive, event, general):
        answer = add(olive, event, general)
        assert answer["Location"] == f"/o/harbour/events/{event.pk}/guests/"
        guest, command = Attendee.objects.get(), Command.objects.get()
        assert (guest.name, guest.email, guest.status, guest.ticket_class) == (
            "Nina New", "nina@mail.test", "valid", general,
        )  # fmt: skip
        assert (command.lane, command.mails, command.target_name) == (Lane.PERSON, False, "Nina New")
        assert AuditEntry.objects.get(verb="attendee.add").target_id == str(guest.pk)
        shown = page(olive, answer["Location"])
        assert "Nina New is being added." in shown
        assert "Sending…" in shown

    def test_mails_only_where_it_is_ticked(self, olive, event, general):
        add(olive, event, general, send_email="on")
        assert Command.objects.get().mails is True

    def test_stays_for_the_next_one(self, olive, event, general):
        assert add(olive, event, general, another="1")["Location"].endswith("/guests/add/")

    @pytest.mark.parametrize(
        ("said", "words"),
        [
            ({"email": ""}, "This field is required."),
            ({"email": "nina"}, "valid email address"),
            ({"email": "n" * 250 + "@mail.test"}, "at most 254"),
            ({"first_name": "x" * 121}, "at most 120"),
            ({"status": "checked_in"}, "not one of the available choices"),
            ({"ticket_class": "01890000-0000-7000-8000-000000000000"}, "not one of the available choices"),
        ],
    )
    def test_keeps_what_was_written_beside_what_is_wrong(self, olive, event, general, said, words):
        answer = add(olive, event, general, **({"first_name": "Kept"} | said))
        text = answer.content.decode()
        assert (answer.status_code, words in text) == (422, True)
        assert 'value="New"' in text
        assert not Attendee.objects.exists()

    def test_asks_before_a_second_ticket_of_one_address(self, olive, event, general):
        mirror.guest(event, general, email="nina@mail.test", first_name="Nina", last_name="Old")
        answer = add(olive, event, general)
        assert "Nina Old has a ticket with this address already (" in answer.content.decode()
        assert "Add another ticket for this address" in answer.content.decode()
        add(olive, event, general, again="on")
        assert Attendee.objects.filter(email="nina@mail.test").count() == 2

    def test_names_a_payment_only_where_something_costs(self, olive, event, general):
        paid = mirror.ticket_class(event, name="Paid", cost=25)
        add(olive, event, paid, payment_method="cash")
        add(olive, event, general, email="b@mail.test", payment_method="cash")
        assert [one.params["payment_method"] for one in Command.objects.order_by("seq")] == ["cash", ""]

    def test_never_gives_another_events_class(self, olive, event, general):
        other = mirror.ticket_class(mirror.event(event.connection))
        assert add(olive, event, other).status_code == 422

    def test_is_for_managers(self, client, cast, event, general):
        client.force_login(person("Vic", cast.organization, Role.VIEWER))
        assert add(client, event, general).status_code == 403
        assert "Add guest" not in page(client, f"/o/harbour/events/{event.pk}/guests/")


class TestTheProvider:
    def test_gives_the_guest_an_id(self, olive, event, general, engine):
        add(olive, event, general)
        engine.api.script = [made]
        engine.run()
        guest = Attendee.objects.get()
        assert (guest.remote_id, guest.barcode, guest.outbox) == ("made", "FOY1", {})
        assert engine.bodies == [
            {
                "ticket_class_id": general.remote_id,
                "contact": {"email": "nina@mail.test", "first_name": "Nina", "last_name": "New"},
                "quantity": 1,
                "status": "valid",
                "send_email": False,
            }
        ]

    def test_that_answers_without_a_guest_is_asked_with_the_same_key(self, olive, event, general, engine):
        add(olive, event, general)
        engine.api.script = [{"data": []}, made]
        engine.run()
        assert len({sent.key for sent in engine.api.sent}) == 1
        assert Attendee.objects.get().remote_id == "made"


class TestRefused:
    @pytest.fixture
    def refused(self, olive, event, general, engine):
        add(olive, event, general)
        engine.api.script = [BAD_EMAIL, made]
        engine.run()
        return Attendee.objects.get()

    def test_is_said_where_the_person_looks(self, olive, event, refused):
        shown = page(olive, f"/o/harbour/events/{event.pk}/guests/?odd=1")
        assert "Adding was refused." in shown
        assert f"/o/harbour/guests/{refused.pk}/correct/" in shown

    def test_is_filled_in_as_it_was_sent_with_the_reason_at_its_field(self, olive, refused):
        form = olive.get(f"/o/harbour/guests/{refused.pk}/correct/").context["form"]
        assert form.errors["email"] == ["This address bounces."]
        assert form["first_name"].value() == "Nina"

    def test_is_corrected_and_sent_again(self, olive, event, general, refused, engine):
        said = {"email": "nina@better.test", "first_name": "Nina", "status": "invited", "ticket_class": general.pk}
        olive.post(f"/o/harbour/guests/{refused.pk}/correct/", said)
        shown = Attendee.objects.get()
        assert (shown.email, shown.status, shown.outbox["state"]) == ("nina@better.test", "invited", "waiting")
        engine.run()
        assert Attendee.objects.get().remote_id == "made"
        assert engine.bodies[-1]["contact"]["email"] == "nina@better.test"
        assert AuditEntry.objects.get(verb="attendee.correct").before["email"] == "nina@mail.test"

    def test_is_discarded(self, olive, event, refused):
        seq = Command.objects.get().seq
        answer = olive.post(f"/o/harbour/guests/{refused.pk}/seen/", {"seq": seq}, **HTMX)
        assert (answer.status_code, answer.content) == (200, b"")
        assert not Attendee.objects.exists()
        assert AuditEntry.objects.filter(verb="attendee.seen").exists()

    def test_is_discarded_without_scripts(self, olive, event, refused):
        seq = Command.objects.get().seq
        answer = olive.post(f"/o/harbour/guests/{refused.pk}/seen/", {"seq": seq})
        assert answer["Location"] == "/o/harbour/guests/"

    def test_has_nothing_to_correct_once_it_is_under_way(self, olive, refused):
        Command.objects.update(state=State.WAITING)
        answer = olive.get(f"/o/harbour/guests/{refused.pk}/correct/")
        assert answer["Location"] == f"/o/harbour/guests/{refused.pk}/"

    def test_counts_nowhere(self, olive, event, refused):
        tabs = olive.get(f"/o/harbour/events/{event.pk}/guests/").context["tabs"]
        assert tabs[0].count == 0
