"""One guest: each decision by a plain form and by htmx, undone, refused, sent again."""

import json

import pytest
from django.contrib.messages import get_messages
from django.utils import timezone

from organizer.accounts.models import AuditEntry, Role
from organizer.attendees.models import Attendee
from organizer.sync.models import Command, State
from tests.support import mirror
from tests.support.cast import person

SEEN = {"approve": "pending_approval", "reject": "pending_approval", "return": "valid", "delete": "valid"}
BECOMES = {"approve": "valid", "reject": "rejected", "return": "pending_approval", "delete": "deleted"}


def at(guest, what):
    return f"/o/harbour/guests/{guest.pk}/{what}/"


def htmx(guest):
    return {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": f"attendee-{guest.pk}"}


def post(client, guest, what, said=None, **more):
    return client.post(at(guest, what), said or {}, **more)


def toast(answer):
    return json.loads(answer["HX-Trigger"])["toast"]


def said(answer):
    return [str(message) for message in get_messages(answer.wsgi_request)]


def now(guest):
    return Attendee.objects.get(pk=guest.pk)


@pytest.mark.parametrize("kind", SEEN)
class TestEachDecision:
    def test_is_a_plain_form(self, olive, event, kind):
        guest = mirror.guest(event, status=SEEN[kind], first_name="Ada", last_name="King")
        answer = post(olive, guest, f"decide/{kind}", {"seen": SEEN[kind], "next": "/o/harbour/approvals/?event=1"})
        assert (answer.status_code, answer["Location"]) == (302, "/o/harbour/approvals/?event=1")
        assert "Ada King" in said(answer)[0]
        assert now(guest).status == BECOMES[kind]
        assert AuditEntry.objects.get(verb=f"attendee.{kind}").target_id == str(guest.pk)

    def test_answers_htmx_with_the_row_only(self, olive, event, kind):
        guest = mirror.guest(event, status=SEEN[kind])
        answer = post(olive, guest, f"decide/{kind}", {"seen": SEEN[kind]}, **htmx(guest))
        page = answer.content.decode()
        assert answer.status_code == 200
        assert page.lstrip().startswith(f'<tbody id="attendee-{guest.pk}"')
        assert "<html" not in page
        assert "sends in" in page
        assert f'hx-post="{at(guest, "undo")}' in page  # in the row and in the toast
        assert 'hx-swap-oob="beforeend:#toasts"' in page

    def test_is_not_for_those_who_only_look(self, client, cast, event, kind):
        guest = mirror.guest(event, status=SEEN[kind])
        client.force_login(person("Vic", cast.organization, Role.VIEWER))
        assert post(client, guest, f"decide/{kind}").status_code == 403
        client.force_login(cast.dora)
        assert post(client, guest, f"decide/{kind}").status_code == 403
        client.force_login(cast.sam)
        assert post(client, guest, f"decide/{kind}").status_code == 404
        assert now(guest).status == SEEN[kind]


class TestTheMail:
    def test_goes_with_its_message(self, olive, ada):
        post(olive, ada, "decide/approve", {"notify_guest": "1", "custom_message": "See you!"})
        command = Command.objects.get()
        assert (command.mails, command.params["custom_message"]) == (True, "See you!")

    def test_is_said_to_the_person(self, olive, ada, event):
        bob = mirror.guest(event, status="pending_approval")
        assert "A mail goes" in said(post(olive, ada, "decide/approve", {"notify_guest": "1"}))[0]
        assert "No mail is sent" in post(olive, bob, "decide/approve", **htmx(bob)).content.decode()

    def test_keeps_no_message_without_a_mail(self, olive, ada):
        post(olive, ada, "decide/approve", {"custom_message": "See you!"})
        command = Command.objects.get()
        assert (command.mails, command.params["custom_message"]) == (False, "")

    def test_is_proposed_as_the_person_chose_last(self, olive, ada):
        ticked = 'name="notify_guest" value="1" form="bulk" checked'
        assert ticked in olive.get("/o/harbour/guests/").content.decode()
        post(olive, ada, "decide/approve")
        assert ticked not in olive.get("/o/harbour/guests/").content.decode()

    def test_takes_10_000_characters_and_not_one_more(self, olive, ada):
        told = {"notify_guest": "1", "custom_message": "x" * 10_001}
        answer = post(olive, ada, "decide/approve", told, **htmx(ada))
        assert (answer.status_code, answer["HX-Retarget"]) == (422, "#guest-choice")
        assert "x" * 10_001 in answer.content.decode()  # nothing that was written is lost
        assert not Command.objects.exists()
        assert post(olive, ada, "decide/approve", told | {"custom_message": "x" * 10_000}).status_code == 302
        assert Command.objects.exists()


class TestTwoPeople:
    def test_tells_the_second_and_changes_nothing(self, client, cast, ada):
        client.force_login(cast.olive)
        post(client, ada, "decide/approve", {"seen": "pending_approval"})
        client.force_login(cast.max)
        answer = post(client, ada, "decide/reject", {"seen": "pending_approval"}, **htmx(ada))
        assert answer.status_code == 409
        assert f'id="attendee-{ada.pk}"' in answer.content.decode()
        assert toast(answer)["level"] == "error"
        assert str(cast.olive) in toast(answer)["text"]
        assert [command.kind for command in Command.objects.all()] == ["attendees.approve"]

    def test_takes_a_double_click_once(self, olive, ada):
        for _ in range(2):
            answer = post(olive, ada, "decide/approve", {"seen": "pending_approval"})
        assert answer.status_code == 302
        assert "already" in said(answer)[-1]
        assert Command.objects.count() == 1

    def test_says_why_it_is_of_no_use(self, olive, event):
        gone = mirror.guest(event, status="deleted")
        answer = post(olive, gone, "decide/approve", {"seen": "deleted"}, **htmx(gone))
        assert answer.status_code == 409
        assert "only who waits can be approved" in toast(answer)["text"]

    def test_knows_no_other_decision(self, olive, ada):
        assert post(olive, ada, "decide/promote").status_code == 404


class TestUndo:
    @pytest.fixture
    def command(self, ada):
        return mirror.command(ada, "attendees.approve")

    def test_takes_back(self, olive, ada, command):
        answer = post(olive, ada, "undo", {"seq": command.seq}, **htmx(ada))
        assert answer.status_code == 200
        assert now(ada).status == "pending_approval"
        assert AuditEntry.objects.filter(verb="attendee.undo").exists()

    def test_brings_the_row_to_a_page_that_may_not_have_it(self, olive, ada, command):
        """A toast outlives its list."""
        page = olive.post(f"{at(ada, 'undo')}?oob=1", {"seq": command.seq}, HTTP_HX_REQUEST="true").content.decode()
        assert f'<tbody id="attendee-{ada.pk}" data-row hx-swap-oob="true"' in page

    def test_works_without_scripts(self, olive, ada, command):
        answer = post(olive, ada, "undo", {"seq": command.seq})
        assert answer["Location"] == f"/o/harbour/guests/{ada.pk}/"
        assert now(ada).status == "pending_approval"

    def test_says_when_it_was_too_late(self, olive, ada, command):
        Command.objects.update(state=State.SENDING, first_at=timezone.now())
        answer = post(olive, ada, "undo", {"seq": command.seq}, **htmx(ada))
        assert (answer.status_code, toast(answer)["level"]) == (409, "error")
        assert now(ada).status == "valid"

    def test_does_not_take_back_another_guests(self, olive, event, command):
        assert post(olive, mirror.guest(event), "undo", {"seq": command.seq}).status_code == 404


class TestWhatCameOfIt:
    def test_asks_again_while_it_is_open_and_then_no_more(self, olive, ada):
        command = mirror.command(ada, "attendees.approve")
        assert "hx-trigger=" in olive.get(at(ada, "row"), **htmx(ada)).content.decode()
        Command.objects.filter(pk=command.pk).update(due_at=timezone.now(), state=State.SENDING)
        mirror.recompute(ada)
        waits = [
            olive.get(f"{at(ada, 'row')}?n={n}", **htmx(ada)).content.decode().split('hx-trigger="')[1].split('"')[0]
            for n in range(6)
        ]
        assert waits == ["every 300ms", "every 600ms", "every 1000ms", "every 2000ms", "every 5000ms", "every 5000ms"]
        Command.objects.filter(pk=command.pk).update(state=State.DONE)
        mirror.recompute(ada)
        assert "hx-trigger=" not in olive.get(at(ada, "row"), **htmx(ada)).content.decode()

    def test_keeps_a_refusal_until_it_was_seen(self, olive, ada):
        refused = mirror.command(ada, "attendees.approve", state=State.REFUSED, reason="The upgrade was cancelled.")
        page = olive.get("/o/harbour/guests/").content.decode()
        assert "Approving was refused." in page
        assert "The upgrade was cancelled." in page
        assert "It was done" not in page
        row = post(olive, ada, "seen", {"seq": refused.seq}, **htmx(ada)).content.decode()
        assert "The upgrade was cancelled." not in row

    def test_sends_a_refused_one_again(self, olive, ada):
        refused = mirror.command(ada, "attendees.approve", state=State.REFUSED, reason="Not now.")
        assert post(olive, ada, "send-again", {"seq": refused.seq}, **htmx(ada)).status_code == 200
        assert now(ada).outbox["state"] == "waiting"
        assert post(olive, ada, "send-again", {"seq": refused.seq}, **htmx(ada)).status_code == 409
        assert Command.objects.count() == 2

    def test_takes_a_persons_word_for_a_parked_one(self, olive, ada):
        parked = mirror.command(ada, "attendees.approve", state=State.PARKED, reason="No answer.")
        assert "It was done" in olive.get("/o/harbour/guests/").content.decode()
        assert post(olive, ada, "it-was-done", {"seq": parked.seq}, **htmx(ada)).status_code == 200
        parked.refresh_from_db()
        assert parked.state == State.DONE

    def test_flags_a_check_in_that_the_provider_did_not_take(self, olive, ada):
        Attendee.objects.filter(pk=ada.pk).update(outbox={"state": "unrecorded", "reason": "The ticket was cancelled."})
        page = olive.get("/o/harbour/guests/").content.decode()
        assert "not recorded at the provider" in page
        assert "The ticket was cancelled." in page


class TestTheGuestsPage:
    def test_tells_who_decided_what_with_which_message(self, olive, cast, ada):
        post(olive, ada, "decide/approve", {"notify_guest": "1", "custom_message": "See you on the roof!"})
        Command.objects.update(state=State.REFUSED, reason="Sold out.", answer={"error": "conflict"}, status=409)
        page = olive.get(f"/o/harbour/guests/{ada.pk}/").content.decode()
        for words in (str(cast.olive), "Approving", "See you on the roof!", "Sold out.", "conflict"):
            assert words in page

    def test_shows_the_apis_answer_to_admins_only(self, client, cast, ada):
        mirror.command(ada, "attendees.approve", state=State.REFUSED, answer={"error": "odd_words"})
        client.force_login(cast.max)
        assert "odd_words" not in client.get(f"/o/harbour/guests/{ada.pk}/").content.decode()

    def test_decides_in_place(self, olive, ada):
        answer = post(olive, ada, "decide/approve", HTTP_HX_REQUEST="true", HTTP_HX_TARGET="guest-state")
        page = answer.content.decode()
        assert 'id="guest-state"' in page
        assert 'id="guest-history" hx-swap-oob="true"' in page

    def test_offers_nothing_to_those_who_only_look(self, client, cast, ada):
        client.force_login(person("Vic", cast.organization, Role.VIEWER))
        for address in ("/o/harbour/guests/", f"/o/harbour/guests/{ada.pk}/", "/o/harbour/approvals/"):
            page = client.get(address).content.decode()
            assert "Ada King" in page
            assert "/decide/" not in page
            assert 'name="id"' not in page


class TestTheDialog:
    def test_offers_what_makes_sense(self, olive, ada, event):
        page = olive.get(at(ada, "choose"), HTTP_HX_REQUEST="true").content.decode()
        assert "<html" not in page
        for kind, offered in {"approve": True, "reject": True, "return": False, "delete": True}.items():
            assert (f'formaction="{at(ada, f"decide/{kind}")}"' in page) is offered
        assert "provider&#x27;s own mail" in page or "provider's own mail" in page

    def test_is_a_page_without_scripts(self, olive, ada):
        assert "<html" in olive.get(at(ada, "choose")).content.decode()
