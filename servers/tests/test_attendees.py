import pytest

from servers.event_api import rules
from servers.event_api.actions import attendees as actions
from servers.event_api.errors import ApiError
from servers.event_api.models import Attendee, Contact
from servers.kit import clock
from servers.mail.models import OutgoingMail
from servers.tests import factories
from servers.tests.asserts import assert_invalid, assert_refused

pytestmark = pytest.mark.django_db
ALL_SIX = "invited,pending_approval,valid,checked_in,rejected,deleted"
FIELDS = {
    "id", "status", "event_id", "ticket_class_id", "ticket_class_name", "barcode", "first_name", "last_name", "email",
    "company", "checked_in_at", "payment_id", "refunded_at", "contact_id", "upgrade", "created_at", "updated_at",
}  # fmt: skip
ADA = {"email": "Ada@Example.com", "first_name": "Ada", "last_name": "Lovelace"}


@pytest.fixture
def path(event):
    return f"/events/{event.pk}/attendees"


class TestCreate:
    def test_answers_with_the_tickets(self, api, path, ticket_class):
        response = api.post(path, {"ticket_class_id": ticket_class.pk, "contact": ADA, "quantity": 2})
        assert response.status_code == 201
        answer = response.json()
        assert (answer["quantity"], answer["payment_id"]) == (2, None)
        assert [set(one) for one in answer["data"]] == [FIELDS, FIELDS]
        one, other = answer["data"]
        assert (one["status"], one["email"], one["ticket_class_name"]) == ("valid", "ada@example.com", "Regular")
        assert (one["contact_id"], one["upgrade"], one["checked_in_at"]) == (other["contact_id"], None, None)
        assert one["barcode"] != other["barcode"]
        assert api.get(f"{path}/{one['id']}").json()["data"] == one

    def test_brings_the_contact_up_to_date(self, api, path, ticket_class):
        for contact in (ADA, {"email": "ADA@example.com", "last_name": "King"}):
            api.post(path, {"ticket_class_id": ticket_class.pk, "contact": contact})
        known = Contact.objects.get()
        assert (known.email, known.first_name, known.last_name) == ("ada@example.com", "Ada", "King")

    def test_waits_for_approval_where_the_class_says_so(self, api, path, event):
        asked = factories.ticket_class(event, name="Asked", require_approval=True)
        data = api.post(path, {"ticket_class_id": asked.pk, "contact": ADA}).json()["data"]
        assert data[0]["status"] == "pending_approval"

    def test_notes_a_payment_only_where_there_was_one(self, api, path, event):
        paid = factories.ticket_class(event, name="Paid", cost=20, free=False)
        body = {"ticket_class_id": paid.pk, "contact": ADA}
        assert api.post(path, body | {"payment_method": "cash"}).json()["payment_id"].startswith("pay_")
        assert api.post(path, body | {"payment_method": "free"}).json()["payment_id"] is None

    @pytest.mark.parametrize(
        ("change", "wrong"),
        [
            ({"ticket_class_id": "x"}, "ticket_class_id"), ({"contact": {}}, "contact.email"),
            ({"quantity": 0}, "quantity"),
            ({"contact": {"email": "not an address"}}, "contact.email"), ({"quantity": 101}, "quantity"),
            ({"contact": {"email": "a@b\r\nBcc: c@d"}}, "contact.email"), ({"status": "rejected"}, "status"),
            ({"contact": {"email": "a@b.c", "phone": 1}}, "contact.phone"), ({"seat": 1}, "seat"),
        ],
    )  # fmt: skip
    def test_says_where_it_is_wrong(self, api, path, ticket_class, change, wrong):
        assert_invalid(api.post(path, {"ticket_class_id": ticket_class.pk, "contact": ADA} | change), wrong)
        assert not Attendee.objects.exists()

    def test_sells_no_more_than_the_class_has(self, api, path, event):
        small = factories.ticket_class(event, name="Small", quantity_total=3)
        body = {"ticket_class_id": small.pk, "contact": ADA}
        assert_refused(api.post(path, body | {"quantity": 4}), 422, rules.CLASS_SOLD_OUT)
        assert api.post(path, body | {"quantity": 3}).status_code == 201
        assert_refused(api.post(path, body), 422, rules.CLASS_SOLD_OUT)
        assert api.post(path, body | {"status": "invited"}).status_code == 201

    def test_sells_no_more_than_the_event_has(self, api, organization):
        event = factories.event(organization, capacity=1)
        body = {"ticket_class_id": factories.ticket_class(event).pk, "contact": ADA}
        assert api.post(f"/events/{event.pk}/attendees", body).status_code == 201
        assert_refused(api.post(f"/events/{event.pk}/attendees", body), 422, rules.EVENT_FULL)

    def test_notes_what_was_paid_before_the_approval_and_gives_it_back(self, api, path, event):
        asked = factories.ticket_class(event, name="Asked", cost=20, free=False, require_approval=True)
        body = {"ticket_class_id": asked.pk, "contact": ADA}
        assert api.post(path, body).json()["payment_id"] is None
        paid = api.post(path, body | {"payment_method": "external"}).json()["data"][0]
        assert (paid["status"], paid["payment_id"][:4]) == ("pending_approval", "pay_")
        assert api.patch(f"{path}/{paid['id']}", {"status": "rejected"}).json()["data"]["refunded_at"]

    def test_bears_an_address_that_grows_in_lower_case(self, api, path, ticket_class):
        contact = {"email": "İ" * 248 + "@b.co"}
        assert_invalid(api.post(path, {"ticket_class_id": ticket_class.pk, "contact": contact}), "contact.email")

    def test_makes_no_ticket_for_an_event_that_is_deleted_meanwhile(self, api, event, ticket_class):
        pending = factories.attendee(ticket_class, "pending_approval")
        api.delete(f"/events/{event.pk}")
        with pytest.raises(ApiError, match="Event not found"):
            actions.create(event=event, ticket_class_id=ticket_class.pk, contact=ADA)
        with pytest.raises(ApiError, match="Event not found"):
            actions.move(attendee=pending, target=rules.Status.VALID)

    def test_takes_an_invited_ticket_first(self, api, path, event, ticket_class):
        invited = factories.attendee(ticket_class, "invited", email="ada@example.com")
        better = factories.ticket_class(event, name="Better")
        data = api.post(path, {"ticket_class_id": better.pk, "contact": ADA, "quantity": 2}).json()["data"]
        assert data[0]["id"] == invited.pk
        assert [one["last_name"] for one in data] == ["Lovelace", "Lovelace"]
        assert [one["ticket_class_id"] for one in data] == [better.pk, better.pk]
        assert Attendee.objects.count() == 2

    def test_mails_only_when_asked(self, api, path, ticket_class):
        body = {"ticket_class_id": ticket_class.pk, "contact": ADA}
        api.post(path, body)
        assert not OutgoingMail.objects.exists()
        api.post(path, body | {"send_email": True})
        assert OutgoingMail.objects.get().subject == "Gala: you are in"


class TestUpgrade:
    @pytest.fixture
    def held(self, ticket_class):
        return factories.attendee(ticket_class, email="ada@example.com")

    @pytest.fixture
    def balcony(self, event):
        return factories.ticket_class(event, name="Balcony", require_approval=True, quantity_total=1)

    @pytest.fixture
    def asked(self, api, path, held, balcony):
        return api.post(path, {"ticket_class_id": balcony.pk, "contact": ADA}).json()["data"][0]

    def test_waits_beside_the_ticket_that_is_held(self, api, path, held, balcony, asked):
        upgrade = {"from_ticket_class_id": held.ticket_class_id, "to_ticket_class_id": balcony.pk, "status": "pending"}
        assert (asked["status"], asked["upgrade"]) == ("pending_approval", upgrade)
        assert asked["ticket_class_id"] == held.ticket_class_id
        assert api.get(f"{path}/{held.pk}").json()["data"]["status"] == "valid"

    def test_leads_to_its_class_when_approved(self, api, path, held, balcony, asked):
        data = api.patch(f"{path}/{asked['id']}", {"status": "valid"}).json()["data"]
        assert (data["status"], data["ticket_class_id"], data["ticket_class_name"]) == ("valid", balcony.pk, "Balcony")
        assert data["upgrade"]["status"] == "done"
        assert api.get(f"{path}/{held.pk}").json()["data"]["status"] == "deleted"

    def test_needs_a_seat_in_its_class(self, api, path, balcony, asked):
        factories.attendee(balcony, email="other@example.com")
        assert_refused(api.patch(f"{path}/{asked['id']}", {"status": "valid"}), 422, rules.CLASS_SOLD_OUT)

    def test_needs_no_second_seat_in_a_full_event(self, api, path, event, asked):
        event.capacity = 1
        event.save()
        assert api.patch(f"{path}/{asked['id']}", {"status": "valid"}).status_code == 200

    def test_is_not_approved_once_cancelled(self, api, path, held, asked):
        cancelled = api.post(f"{path}/{asked['id']}/cancel-upgrade").json()["data"]
        assert cancelled["upgrade"]["status"] == "cancelled"
        assert_refused(api.patch(f"{path}/{asked['id']}", {"status": "valid"}), 422, rules.UPGRADE_CANCELLED)
        assert api.get(f"{path}/{held.pk}").json()["data"]["status"] == "valid"
        assert api.post(f"{path}/{asked['id']}/cancel-upgrade").status_code == 422

    def test_ends_with_the_ticket_that_is_held(self, api, path, held, asked):
        api.delete(f"{path}/{held.pk}")
        assert_refused(api.patch(f"{path}/{asked['id']}", {"status": "valid"}), 422, rules.UPGRADE_CANCELLED)


class TestUpdate:
    @pytest.fixture
    def guest(self, ticket_class):
        return factories.attendee(ticket_class, "pending_approval")

    def test_notes_the_time_of_a_check_in_and_its_undoing(self, api, path, guest):
        with clock.handed_in(lambda: factories.START):
            data = api.patch(f"{path}/{guest.pk}", {"status": "checked_in"}).json()["data"]
        assert data["checked_in_at"] == "2030-06-01T18:00:00Z"
        assert api.patch(f"{path}/{guest.pk}", {"status": "valid"}).json()["data"]["checked_in_at"] is None

    def test_refunds_a_paid_ticket_that_is_rejected(self, api, path, ticket_class, guest):
        paid = factories.attendee(ticket_class, "pending_approval", payment_id="pay_1")
        assert api.patch(f"{path}/{paid.pk}", {"status": "rejected"}).json()["data"]["refunded_at"]
        assert not api.patch(f"{path}/{guest.pk}", {"status": "rejected"}).json()["data"]["refunded_at"]

    @pytest.mark.parametrize(
        ("body", "wrong"),
        [
            ({}, "status"), ({"status": "invited"}, "status"),
            ({"status": "valid", "notify_guest": "yes"}, "notify_guest"),
            ({"status": "valid", "seat": 1}, "seat"), ({"status": "valid", "custom_message": 5}, "custom_message"),
            ({"status": "valid", "custom_message": "x" * 10_001}, "custom_message"),
            ({"status": "valid", "custom_message": "x" * 10_001, "notify_guest": False}, "custom_message"),
            ({"status": "valid", "custom_message": "\x00", "notify_guest": True}, "custom_message"),
        ],
    )  # fmt: skip
    def test_says_where_it_is_wrong(self, api, path, guest, body, wrong):
        assert_invalid(api.patch(f"{path}/{guest.pk}", body), wrong)
        guest.refresh_from_db()
        assert guest.status == "pending_approval"

    def test_takes_the_longest_message(self, api, path, guest):
        body = {"status": "valid", "notify_guest": True, "custom_message": "é" * 10_000}
        assert api.patch(f"{path}/{guest.pk}", body).status_code == 200
        assert body["custom_message"] in OutgoingMail.objects.get().text

    def test_mails_the_guest_when_asked(self, api, path, guest):
        body = {"status": "rejected", "notify_guest": True, "custom_message": "Maybe in autumn."}
        api.patch(f"{path}/{guest.pk}", body)
        mail = OutgoingMail.objects.get()
        assert (mail.to, mail.subject, mail.sent_at) == (guest.email, "Gala: not this time", None)
        assert "Maybe in autumn." in mail.text

    def test_mails_nobody_otherwise(self, api, path, guest):
        api.patch(f"{path}/{guest.pk}", {"status": "valid", "custom_message": "Hello"})
        assert not OutgoingMail.objects.exists()

    def test_mails_nobody_when_nothing_changes(self, api, path, guest):
        before = api.get(f"{path}/{guest.pk}").json()
        response = api.patch(f"{path}/{guest.pk}", {"status": "pending_approval", "notify_guest": True})
        assert (response.status_code, response.json()) == (200, before)
        assert not OutgoingMail.objects.exists()

    def test_mails_again_what_the_guest_was_told(self, api, path, guest):
        before = api.get(f"{path}/{guest.pk}").json()
        response = api.post(f"{path}/{guest.pk}/resend", {"custom_message": "Once more."})
        assert (response.status_code, response.json()) == (200, before)
        mail = OutgoingMail.objects.get()
        assert (mail.to, mail.subject) == (guest.email, "Gala: your request is being looked at")
        assert "Once more." in mail.text

    def test_mails_a_deleted_guest_nothing_more(self, api, path, guest):
        api.delete(f"{path}/{guest.pk}")
        assert api.post(f"{path}/{guest.pk}/resend", {}).status_code == 404
        assert_invalid(api.post(f"{path}/{guest.pk}/resend", {"custom_message": "x" * 10_001}), "custom_message")
        assert not OutgoingMail.objects.exists()

    def test_keeps_a_line_break_of_the_event_out_of_the_subject(self, api, path, event, guest):
        event.name = "Gala\r\nBcc: x@y.z"
        event.save()
        api.patch(f"{path}/{guest.pk}", {"status": "valid", "notify_guest": True})
        assert OutgoingMail.objects.get().subject == "Gala Bcc: x@y.z: you are in"


class TestDelete:
    def test_keeps_the_attendee_for_those_who_ask(self, api, path, ticket_class):
        guest = factories.attendee(ticket_class)
        for _ in range(2):
            assert api.delete(f"{path}/{guest.pk}").json() == {"data": {"deleted": True, "id": guest.pk}}
        assert api.get(f"{path}/{guest.pk}").json()["data"]["status"] == "deleted"
        assert [one["id"] for one in api.get(f"{path}?status=deleted").json()["data"]] == [guest.pk]
        assert api.get(path).json()["data"] == []


class TestList:
    @pytest.fixture
    def guests(self, ticket_class):
        return {status: factories.attendee(ticket_class, status).pk for status in ALL_SIX.split(",")}

    @pytest.mark.parametrize("words", ["", "invited", "rejected,deleted", ALL_SIX])
    def test_shows_the_statuses_that_are_asked_for(self, api, path, guests, words):
        found = api.get(f"{path}?status={words}" if words else path).json()
        wanted = words.split(",") if words else ["valid", "checked_in"]
        assert [one["id"] for one in found["data"]] == [
            guests[status] for status in ALL_SIX.split(",") if status in wanted
        ]
        assert found["pagination"]["total"] == len(wanted)

    @pytest.mark.parametrize("words", ["all", "valid,", "", "Valid", "valid,gone"])
    def test_refuses_an_unknown_status(self, api, path, words):
        assert_invalid(api.get(f"{path}?status={words}"), "status")

    def test_keeps_its_order_when_guests_change_and_come(self, api, path, ticket_class, guests):
        before = [one["id"] for one in api.get(f"{path}?status={ALL_SIX}").json()["data"]]
        api.patch(f"{path}/{guests['valid']}", {"status": "checked_in"})
        newest = factories.attendee(ticket_class).pk
        assert [one["id"] for one in api.get(f"{path}?status={ALL_SIX}").json()["data"]] == [*before, newest]

    def test_asks_the_same_few_questions_for_any_number(self, api, path, ticket_class, django_assert_max_num_queries):
        for _ in range(30):
            factories.attendee(ticket_class)
        with django_assert_max_num_queries(7):
            assert len(api.get(f"{path}?page_size=200").json()["data"]) == 30
