"""An operation that is to go says so for at least half a year."""

from datetime import UTC, datetime, timedelta

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from ninja import NinjaAPI

from servers.event_api.deprecation import Deprecation
from servers.event_api.errors import json_response
from servers.event_api.routes import Routes
from servers.event_api.schemas import DeletedAnswer
from servers.organizations.models import ApiKey

SINCE = datetime(2027, 1, 1, tzinfo=UTC)
NOTES = "https://docs.example/moving"


def test_refuses_a_sunset_within_half_a_year():
    with pytest.raises(ValueError, match="180 days"):
        Deprecation(SINCE, SINCE + timedelta(days=180) - timedelta(seconds=1), NOTES)
    assert Deprecation(SINCE, SINCE + timedelta(days=180), NOTES)


def retiring(scopes: list[str]) -> tuple[NinjaAPI, HttpResponse]:
    router = Routes()

    @router.read("/old", scope="events:read", answers=DeletedAnswer, deprecated=Deprecation(SINCE, SUNSET, NOTES))
    def old(request):
        return json_response({"data": {}})

    api = NinjaAPI(urls_namespace=f"retiring{len(scopes)}")
    api.add_router("", router)
    request = RequestFactory().get("/old")
    request.api_key, request.api_refusal = ApiKey(scopes=scopes), None
    [view] = [one.callback for one in api.urls[0] if str(one.pattern) == "old"]
    return api, view(request)


SUNSET = SINCE + timedelta(days=365)


@pytest.mark.parametrize("scopes", [["events:read"], []])
def test_says_it_on_every_answer(scopes):
    _, response = retiring(scopes)
    assert response["Deprecation"] == "@1798761600"
    assert response["Sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"
    assert response["Link"] == f'<{NOTES}>; rel="deprecation"'
    assert response.status_code == (200 if scopes else 403)


def test_says_it_in_the_document():
    api, _ = retiring(["events:read", "events:write"])
    [operation] = [methods["get"] for methods in api.get_openapi_schema(path_prefix="")["paths"].values()]
    assert operation["deprecated"] is True
