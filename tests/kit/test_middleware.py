"""What every answer has, whatever it is an answer to."""

import re

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone
from django_htmx.middleware import HtmxDetails

from organizer.kit.middleware import RequestMiddleware

pytestmark = pytest.mark.django_db

HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.mark.parametrize("path", ["/accounts/login/", "/nowhere/", "/healthz", "/o/harbour/"])
def test_has_the_headers_that_protect_it(client, path):
    answer = client.get(path)
    assert {name: answer[name] for name in HEADERS} == HEADERS
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert {"HX-Request", "HX-Target"} <= set(re.split(r",\s*", answer["Vary"]))


def test_has_an_id_of_its_own(client):
    first, second = (client.get("/healthz")["X-Request-Id"] for _ in range(2))
    assert len(first) == 32
    assert first != second


def test_leads_htmx_on_without_losing_a_cookie(client, cast):
    client.force_login(cast.olive)
    answer = client.post("/theme/", {"theme": "dark", "next": "/o/harbour/"}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer["HX-Location"] == '{"path": "/o/harbour/"}'
    assert "Location" not in answer
    assert answer.cookies["foyer_theme"].value == "dark"


def test_leads_everybody_else_as_ever(client, cast):
    client.force_login(cast.olive)
    answer = client.post("/theme/", {"theme": "dark", "next": "/o/harbour/"})
    assert (answer.status_code, answer["Location"]) == (302, "/o/harbour/")


@pytest.mark.parametrize(
    ("zone", "said"), [("Europe%2FBerlin", "Europe/Berlin"), ("Nowhere", "UTC"), ("", "UTC"), ("%00", "UTC")]
)
def test_speaks_of_times_by_the_persons_clock(zone, said):
    request = RequestFactory().get("/", headers={"Cookie": f"foyer_zone={zone}"})
    request.htmx = HtmxDetails(request)
    answer = RequestMiddleware(lambda _request: HttpResponse(timezone.get_current_timezone_name()))(request)
    assert answer.content.decode() == said
    assert timezone.get_current_timezone_name() == "UTC"
