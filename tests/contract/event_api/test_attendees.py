import pytest

from organizer.upstream.errors import NotFound, Refused, ScopeMissing
from organizer.upstream.event_api import attendees


def test_creates_and_reads_back(api, event, guest, ticket_class):
    assert api.attendees.get(event.id, guest.id) == guest
    assert (guest.first_name, guest.last_name, guest.email) == ("Zoë", "O'Hara", "o'hara@example.test")
    assert (guest.event_id, guest.ticket_class_id) == (event.id, ticket_class.id)
    assert guest.ticket_class_name == "General Admission"
    assert (guest.status, guest.checked_in_at, guest.upgrade) == ("pending_approval", None, None)
    assert guest.barcode
    assert guest.doubts == ()


def test_makes_as_many_as_are_asked_for(api, event, ticket_class):
    contact = {"email": "many@example.test", "first_name": "Many", "last_name": "Seats"}
    body = {"ticket_class_id": ticket_class.id, "contact": contact, "quantity": 3}
    guests = api.attendees.create(event.id, body, idempotency_key="many")
    assert len({guest.id for guest in guests}) == 3


@pytest.mark.parametrize("target", ["valid", "checked_in", "rejected", "deleted"])
def test_sees_guests_of_every_status(api, event, guest, target):
    changed = api.attendees.update(event.id, guest.id, {"status": target}, idempotency_key=target)
    assert changed.status == target
    page = api.attendees.page(event.id, 1)
    assert [(found.id, found.status) for found in page.items] == [(guest.id, target)]
    assert page.total == 1


def test_knows_when_somebody_came(api, event, guest):
    assert api.attendees.update(event.id, guest.id, {"status": "checked_in"}, idempotency_key="in").checked_in_at


def test_tells_why_a_change_is_refused(api, event, guest):
    api.attendees.update(event.id, guest.id, {"status": "rejected"}, idempotency_key="reject")
    with pytest.raises(Refused, match="A rejected ticket cannot be approved") as refusal:
        api.attendees.update(event.id, guest.id, {"status": "valid"}, idempotency_key="approve")
    assert refusal.value.status == 422


def test_deletes(api, event, guest):
    api.attendees.delete(event.id, guest.id, idempotency_key="delete")
    assert api.attendees.get(event.id, guest.id).status == "deleted"


def test_says_what_is_not_there(api, event):
    with pytest.raises(NotFound) as missing:
        api.attendees.get(event.id, "nobody")
    assert missing.value.error == "Attendee not found"


def test_names_the_scope_that_is_missing(event, guest, open_api):
    reader = open_api("attendees:read")
    assert reader.attendees.get(event.id, guest.id) == guest
    with pytest.raises(ScopeMissing) as refusal:
        reader.attendees.update(event.id, guest.id, {"status": "valid"}, idempotency_key="scope")
    assert refusal.value.scope == "attendees:write"


def test_mails_again_what_a_guest_was_told(api, event, guest):
    path = attendees.place(event.id, guest.id, "resend")
    answer = api.send("POST", path, b"{}", scope=attendees.WRITE, idempotency_key="again")
    assert answer.value["data"]["status"] == guest.status
