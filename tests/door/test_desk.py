"""The desk's pages and posts, as a browser with and without scripts sends them."""

import uuid
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from organizer.attendees.models import Admission, Scan
from organizer.sync.models import Command
from tests.support import mirror

HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def dora(client, cast):
    client.force_login(cast.dora)
    return client


def address(event, name):
    return reverse(f"door:{name}", args=[event.organization.slug, event.pk])


def post(client, event, name="scan", *, script=True, **values):
    values = {"scan_id": uuid.uuid4()} | values
    return client.post(address(event, name), values, **(HTMX if script else {}))


def test_opens_at_the_event_of_today(dora, event):
    response = dora.get(reverse("door:index", args=[event.organization.slug]))
    assert response["Location"] == address(event, "desk")


def test_offers_a_choice_where_there_are_several(dora, event):
    mirror.event(event.connection, name="Late show")
    response = dora.get(reverse("door:index", args=[event.organization.slug]))
    assert response.status_code == 200
    assert "Late show" in response.content.decode()
    assert event.name in response.content.decode()


def test_is_where_a_door_person_lands(dora, event):
    assert dora.get("/")["Location"] == reverse("door:index", args=[event.organization.slug])
    overview = reverse("overview:index", args=[event.organization.slug])
    assert dora.get(overview)["Location"] == reverse("door:index", args=[event.organization.slug])


def test_welcomes_by_name(dora, event, guest):
    text = post(dora, event, code="FOY-ANA").content.decode()
    assert "Welcome, <bdi>Ana Silva</bdi>" in text
    assert 'data-tone="admit"' in text
    assert Admission.objects.get().attendee == guest


def test_shows_the_verdict_with_the_next_page_without_scripts(dora, event, guest):
    response = post(dora, event, script=False, code="FOY-ANA")
    assert response.status_code == 302
    text = dora.get(response["Location"]).content.decode()
    assert "Welcome, <bdi>Ana Silva</bdi>" in text
    assert dora.get(response["Location"]).content.decode().count('<li class="tone-') == 1


def test_says_when_where_and_by_whom(dora, client, cast, event, guest):
    post(dora, event, code="FOY-ANA")
    client.force_login(cast.max)
    text = post(client, event, code="FOY-ANA").content.decode()
    assert "Already checked in" in text
    assert f"at Check-in desk by {cast.dora}" in text
    assert " s ago)" in text


def test_finds_by_name_and_checks_in_from_the_list(dora, event, guest):
    mirror.guest(event, first_name="Anatol", email="anatol@mail.test")
    text = post(dora, event, code="ana").content.decode()
    assert "2 guests match" in text
    assert "a…@mail.test" in text
    assert "anatol@mail.test" not in text
    assert "Welcome" in post(dora, event, attendee_id=guest.pk).content.decode()


def test_a_name_on_a_plain_form_is_looked_up_by_its_address(dora, event, guest):
    response = post(dora, event, script=False, code="ana")
    assert "Ana Silva" in dora.get(response["Location"]).content.decode()


def test_shows_nobody_before_a_search(dora, event, guest):
    assert "Ana" not in dora.get(address(event, "desk")).content.decode()


def test_undoes(dora, event, guest):
    post(dora, event, code="FOY-ANA")
    text = post(dora, event, "undo", admission_id=Admission.objects.get().pk).content.decode()
    assert "Check-in removed" in text
    guest.refresh_from_db()
    assert guest.status == "valid"


def test_offers_approval_to_managers_only(client, cast, event):
    guest = mirror.guest(event, status="pending_approval", barcode="P-1", first_name="Pia")
    client.force_login(cast.dora)
    text = post(client, event, code="P-1").content.decode()
    assert "Not approved yet" in text
    assert "Approve and check in" not in text
    client.force_login(cast.max)
    assert "Approve and check in" in post(client, event, code="P-1").content.decode()
    assert "Welcome" in post(client, event, "approve", attendee_id=guest.pk).content.decode()


def test_a_ticket_of_another_event_names_nobody(dora, event):
    other = mirror.event(event.connection, name="Late show")
    mirror.guest(other, barcode="OTHER-1", first_name="Xenia")
    text = post(dora, event, code="OTHER-1").content.decode()
    assert "Ticket for another event" in text
    assert "Xenia" not in text


def test_does_not_know_another_organizations_ticket(dora, cast, event):
    elsewhere = mirror.event(mirror.connection(cast.elsewhere))
    mirror.guest(elsewhere, barcode="THEIRS-1")
    assert "Code not recognised" in post(dora, event, code="THEIRS-1").content.decode()


def test_counts_who_is_in(dora, event, guest):
    mirror.guest(event)
    post(dora, event, code="FOY-ANA")
    text = dora.get(address(event, "state"), **HTMX).content.decode()
    assert "<b>1</b> of 2 in" in text


def test_mails_only_when_a_manager_says_so(client, cast, event, guest):
    client.force_login(cast.max)
    client.post(address(event, "mails"), {"notify_guest": "1"})
    assert "mails each guest" in client.get(address(event, "desk")).content.decode()
    post(client, event, code="FOY-ANA")
    assert Command.objects.get().params == {"notify_guest": True}


@pytest.mark.parametrize("values", [{"scan_id": "x"}, {"scan_id": "", "code": "A"}, {"attendee_id": "nobody"}])
def test_a_broken_form_is_no_scan(dora, event, values):
    assert post(dora, event, **values).status_code == 400
    assert not Scan.objects.exists()


def test_a_code_of_letters_alone_that_nobody_has_is_no_name(dora, event, guest):
    text = post(dora, event, code="QXRTZWMKPBNV").content.decode()
    assert "Code not recognised" in text
    assert Scan.objects.get().verdict == "unknown"
    mirror.guest(event, first_name="Montgomery")
    assert "1 guest matches" in post(dora, event, code="MONTGOMERY").content.decode()
    assert "Nobody matches" in post(dora, event, code="Hamilton").content.decode()
    assert Scan.objects.count() == 1


def test_looks_for_a_name_while_it_is_written_and_lets_nobody_in(dora, event, guest):
    asked = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "verdict"}
    text = dora.get(address(event, "desk"), {"q": "ana"}, **asked).content.decode()
    assert "1 guest matches" in text
    assert "<html" not in text
    dora.get(address(event, "desk"), {"q": "FOY-ANA"}, **asked)  # a whole code that is still being written
    assert not Scan.objects.exists()
    assert not Admission.objects.exists()


def test_finds_who_is_not_in_yet_first(dora, event, guest):
    mirror.guest(event, first_name="Anatol", status="checked_in")
    mirror.guest(event, first_name="Anaïs", last_name="Zed")
    text = post(dora, event, code="ana").content.decode()
    assert text.index("Anaïs Zed") < text.index("Anatol")


def test_says_when_a_guest_was_let_in_elsewhere(dora, event):
    at = timezone.now() - timedelta(minutes=12)
    mirror.guest(event, first_name="Ida", barcode="IDA-1", status="checked_in", checked_in_at=at.isoformat())
    text = post(dora, event, code="IDA-1").content.decode()
    assert f"{at:%H:%M:%S} (12 min ago), not at a desk of Foyer" in text
    mirror.guest(event, first_name="Udo", barcode="UDO-1", status="checked_in")
    assert "device not known" in post(dora, event, code="UDO-1").content.decode()
