"""Messages with placeholders: kept by the organization, filled in for each guest, never longer than the API takes."""

import pytest

from organizer.accounts.models import AuditEntry, Role
from organizer.attendees import messages, wording
from organizer.attendees.models import MessageTemplate
from organizer.attendees.wording import TooLong, Unknown, fill, placeholders
from organizer.sync.models import Batch, Command, State
from tests.support import mirror
from tests.support.cast import person

ALL = dict.fromkeys(wording.PLACEHOLDERS, "x")
NEW = "/o/harbour/settings/messages/new/"
PREVIEW = "/o/harbour/guests/preview/"
APPROVE = "/o/harbour/guests/decide/approve/"


class TestFillingIn:
    @pytest.mark.parametrize(
        ("text", "filled"),
        [
            ("Hello {first_name}!", "Hello Ada!"),
            ("{ First_Name }", "Ada"),
            ("{{first_name}}", "{first_name}"),
            ("a {{ and a }}", "a { and a }"),
            ("{{{first_name}}}", "{Ada}"),
            ("nothing", "nothing"),
        ],
    )
    def test_says_what_was_meant(self, text, filled):
        assert fill(text, ALL | {"first_name": "Ada"}) == filled

    @pytest.mark.parametrize(
        "text", ["{firstname}", "{}", "{", "}", "{first_name", "{a{b}", "{0.__class__}", "{name!r}"]
    )
    def test_knows_what_it_does_not_know(self, text):
        with pytest.raises(Unknown):
            placeholders(text)

    def test_puts_in_what_looks_like_a_placeholder_as_it_is(self):
        assert fill("{first_name}", ALL | {"first_name": "{email}"}) == "{email}"

    def test_takes_10_000_characters_and_not_one_more(self):
        text = "{first_name}" + "x" * 9_990
        assert len(fill(text, ALL | {"first_name": "y" * 10})) == 10_000
        with pytest.raises(TooLong) as too_long:
            fill(text, ALL | {"first_name": "y" * 11})
        assert too_long.value.length == 10_001

    def test_knows_the_event_and_its_day_there(self, event):
        event.payload |= {"start": {"utc": "2026-12-24T22:30:00Z", "timezone": "Asia/Tokyo"}}
        guest = mirror.guest(mirror.event(event.connection, **event.payload | {"id": "tokyo"}), first_name="Ada")
        assert messages.values(guest)["event_date"] == "Friday, 25 December 2026, 07:30"
        assert messages.values(guest)["event_place"].startswith("Harbour Hall")


class TestKept:
    def keep(self, olive, name="Welcome", text="Hello {first_name}", at=NEW):
        return olive.post(at, {"name": name, "text": text})

    def test_is_found_and_changed(self, olive):
        self.keep(olive)
        kept = MessageTemplate.objects.get()
        self.keep(olive, "Welcome!", "Hi {name}", f"/o/harbour/settings/messages/{kept.pk}/")
        kept.refresh_from_db()
        assert (kept.name, kept.text, kept.updated_by_name) == ("Welcome!", "Hi {name}", "olive@harbour.test")
        trail = AuditEntry.objects.filter(verb="message.keep").order_by("id")
        assert [entry.before.get("text") for entry in trail] == [None, "Hello {first_name}"]

    def test_is_removed(self, olive):
        self.keep(olive)
        kept = MessageTemplate.objects.get()
        olive.post(f"/o/harbour/settings/messages/{kept.pk}/remove/")
        assert not MessageTemplate.objects.exists()
        assert AuditEntry.objects.get(verb="message.remove").before["name"] == "Welcome"

    def test_says_which_placeholder_it_does_not_know(self, olive):
        answer = self.keep(olive, text="Hello {vorname}")
        assert "“{vorname}” is no placeholder. There are {first_name}" in answer.content.decode()
        assert "Hello {vorname}" in answer.content.decode()
        assert not MessageTemplate.objects.exists()

    def test_takes_10_000_characters_and_says_how_many_are_too_many(self, olive):
        assert self.keep(olive, "Long", "x" * 9_999 + "\r\ny").status_code == 422  # 10,001: a line break is one
        assert self.keep(olive, "Long", "x" * 9_998 + "\r\ny").status_code == 302
        assert "it has 10001" in self.keep(olive, "Longer", "x" * 10_001).content.decode()

    def test_has_a_name_of_its_own(self, olive, cast):
        self.keep(olive)
        assert "of this name already" in self.keep(olive, "WELCOME").content.decode()
        MessageTemplate.objects.create(organization=cast.elsewhere, name="Other", sort_name="other", text="x")
        assert self.keep(olive, "Other").status_code == 302

    def test_is_not_for_those_who_only_look(self, client, cast):
        client.force_login(person("Vic", cast.organization, Role.VIEWER))
        assert self.keep(client).status_code == 403

    def test_is_never_another_organizations(self, olive, cast):
        theirs = MessageTemplate.objects.create(organization=cast.elsewhere, name="Theirs", text="Secret")
        asked = {"template": theirs.pk, "field": "id_message"}
        answer = olive.get("/o/harbour/guests/message/", asked)
        assert (answer.content, answer["HX-Reswap"]) == (b"", "none")


class TestDecisions:
    @pytest.fixture
    def kept(self, cast):
        return MessageTemplate.objects.create(
            organization=cast.organization, name="Welcome", text="Hello {first_name}, see you at {event}."
        )

    def test_fill_it_in_for_the_guest(self, olive, ada):
        said = {"notify_guest": "1", "custom_message": "Dear {name}, {{bring}} a coat"}
        olive.post(f"/o/harbour/guests/{ada.pk}/decide/approve/", said)
        assert Command.objects.get().params["custom_message"] == "Dear Ada King, {bring} a coat"

    def test_take_the_templates_text_where_nothing_was_written(self, olive, ada, kept):
        olive.post(f"/o/harbour/guests/{ada.pk}/decide/approve/", {"notify_guest": "1", "template": kept.pk})
        assert Command.objects.get().params["custom_message"] == "Hello Ada, see you at Spring opening."

    def test_lose_no_message_that_cannot_go(self, olive, ada):
        long = "{name}" + "x" * 9_993  # Ada King makes 10,001 of it
        answer = olive.post(
            f"/o/harbour/guests/{ada.pk}/decide/approve/", {"notify_guest": "1", "custom_message": long}
        )
        text = answer.content.decode()
        assert answer.status_code == 422
        assert "The message has 10,001 characters once it is filled in; 10,000 is the most." in text
        assert long in text
        assert not Command.objects.exists()

    def test_about_many_fill_it_in_for_each(self, olive, event, kept):
        guests = [mirror.guest(event, first_name=name, status="pending_approval") for name in ("Ada", "Bo")]
        olive.post(APPROVE, {"id": [one.pk for one in guests], "notify_guest": "1", "template": kept.pk})
        said = {one.params["custom_message"] for one in Command.objects.all()}
        assert said == {"Hello Ada, see you at Spring opening.", "Hello Bo, see you at Spring opening."}

    def test_about_many_refuse_only_whose_message_becomes_too_long(self, olive, event):
        short, long = (mirror.guest(event, first_name=name, status="pending_approval") for name in ("A", "A" * 20))
        text = "{first_name}" + "x" * 9_985
        olive.post(APPROVE, {"id": [short.pk, long.pk], "notify_guest": "1", "custom_message": text})
        refused = Command.objects.get(state=State.REFUSED)
        assert (refused.target_id, "10,005 characters" in refused.reason) == (long.pk, True)
        assert Command.objects.get(state=State.WAITING).target_id == short.pk

    def test_about_many_ask_the_database_once_for_events(self, olive, event, django_assert_max_num_queries):
        guests = [mirror.guest(event, status="pending_approval") for _ in range(30)]
        said = {"id": [one.pk for one in guests], "notify_guest": "1", "custom_message": "{event}"}
        with django_assert_max_num_queries(45):
            olive.post(APPROVE, said)

    def test_about_many_are_not_taken_with_a_wrong_placeholder(self, olive, ada):
        said = {"id": [ada.pk], "notify_guest": "1", "custom_message": "Hi {vorname}"}
        answer = olive.post(APPROVE, said, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="work")
        assert (answer.status_code, answer["HX-Retarget"]) == (422, "#bulk-message-said")
        assert "“{vorname}” is no placeholder" in answer.content.decode()
        assert "Hi {vorname}" in olive.post(APPROVE, said).content.decode()  # without scripts it is on the page
        assert not Batch.objects.exists()

    def test_sent_again_say_what_was_said(self, olive, ada):
        olive.post(
            f"/o/harbour/guests/{ada.pk}/decide/approve/", {"notify_guest": "1", "custom_message": "{{name}} {name}"}
        )
        Command.objects.update(state=State.REFUSED, status=422)
        mirror.recompute(ada)
        olive.post(f"/o/harbour/guests/{ada.pk}/send-again/", {"seq": Command.objects.get().seq})
        again = Command.objects.get(state=State.WAITING)
        assert again.params["custom_message"] == "{name} Ada King"


class TestPreview:
    def test_shows_three_of_the_selection(self, olive, event):
        guests = [mirror.guest(event, first_name=f"Guest{n}", last_name="X") for n in range(5)]
        said = {"id": [one.pk for one in guests[1:]], "custom_message": "Hello {first_name}"}
        text = olive.post(PREVIEW, said, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="message-said").content.decode()
        assert text.count("Hello Guest") == 3
        assert "Hello Guest0" not in text
        assert "<html" not in text

    def test_shows_three_guests_of_the_organization_where_nobody_is_chosen(self, olive, event, cast):
        mirror.guest(event, first_name="Ada")
        mirror.guest(mirror.event(mirror.connection(cast.elsewhere)), first_name="Theirs")
        text = olive.post(PREVIEW, {"text": "Hello {first_name}"}).content.decode()
        assert ("Hello Ada" in text, "Theirs" in text, "<html" in text) == (True, False, True)

    def test_shows_markup_as_it_is(self, olive, ada):
        text = olive.post(PREVIEW, {"id": ada.pk, "custom_message": "<b>{name}</b>"}).content.decode()
        assert "&lt;b&gt;Ada King&lt;/b&gt;" in text

    def test_says_whose_would_be_too_long(self, olive, ada):
        text = olive.post(PREVIEW, {"id": ada.pk, "custom_message": "{name}" + "x" * 9_993}).content.decode()
        assert "10,001 characters once it is filled in" in text

    def test_puts_a_template_into_the_field(self, olive, cast):
        kept = MessageTemplate.objects.create(organization=cast.organization, name="W", text="Hello {first_name}")
        answer = olive.get("/o/harbour/guests/message/", {"template": kept.pk, "field": "bulk-message"})
        assert answer.content.decode().startswith('<textarea id="bulk-message" name="custom_message"')
        assert "Hello {first_name}" in answer.content.decode()
