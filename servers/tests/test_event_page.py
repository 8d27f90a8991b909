"""The public page behind an event's `url`."""

from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils.html import escape

from servers.event_api.models import Event
from servers.tests import factories
from servers.tests.conftest import Api

pytestmark = pytest.mark.django_db


def page_of(event: Event) -> tuple[int, str]:
    response = Client(raise_request_exception=False).get(f"/e/{event.pk}")
    return response.status_code, response.content.decode()


def test_it_is_at_the_address_that_the_api_gives(api: Api, event):
    url = api.get(f"/events/{event.pk}").json()["data"]["url"]
    assert Client().get(urlsplit(url).path).status_code == 200


def test_it_shows_what_a_guest_may_know(event):
    factories.ticket_class(event, name="Regular", cost="12.50", currency="EUR", free=False)
    factories.ticket_class(event, name="Crew", hide_on_event_page=True)
    full = factories.ticket_class(event, name="Balcony", quantity_total=1)
    factories.attendee(full, email="secret.guest@mail.example")
    status, page = page_of(event)
    assert status == 200
    assert "12.50 EUR" in page
    assert "Sold out" in page
    assert "Crew" not in page
    assert "secret.guest" not in page


def test_it_shows_what_was_typed_as_text(event):
    event.name = event.description = "<script>alert(1)</script>"
    event.save()
    page = page_of(event)[1]
    assert event.name not in page
    assert escape(event.name) in page


@pytest.mark.parametrize("status", ["draft", "deleted"])
def test_it_does_not_exist_for_what_is_not_announced(event, status):
    Event.objects.filter(pk=event.pk).update(status=status)
    assert page_of(event)[0] == 404


def test_it_says_when_an_event_is_cancelled(event):
    Event.objects.filter(pk=event.pk).update(status="cancelled")
    assert "cancelled" in page_of(event)[1]


@pytest.mark.parametrize("event_id", ["x", "0" * 20, "é" * 20, "%00"])
def test_it_is_not_found_at_odd_addresses(db, event_id):
    assert Client().get(f"/e/{event_id}").status_code == 404
