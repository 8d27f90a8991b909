"""Addresses that nobody should send: each view answers with a page or a plain refusal, never by breaking."""

import uuid
from itertools import product

import pytest
from django.urls import resolve, reverse

from tests.access.test_matrix import ASKED, EXPECTED
from tests.support import pages

READING = [name for name, (method, _) in EXPECTED.items() if method == "GET"]
PARAMETERS = [
    "q",
    "status",
    "class",
    "since",
    "until",
    "odd",
    "sort",
    "after",
    "before",
    "tries",
    "scope",
    "next",
    "tab",
    "columns",
    "about",
    "range",
    "outcome",
    "vendor",
    "event",
    "auth",
    "newest",
    "row",
    "reason",
]
ODD = [
    "a\x00b",
    "x" * 20_000,
    "' OR 1=1 --",
    "%",
    "-1",
    "9" * 400,
    "\r\nSet-Cookie: a=b",
    "‮🎉",
]

FAR_DATES = ["9999-12-31", "0001-01-01"]
ZONES = ["Pacific/Kiritimati", "America/Los_Angeles"]


@pytest.fixture
def client(client, place):
    client.force_login(place.cast.olive)
    return client


@pytest.mark.parametrize("name", READING)
def test_shows_a_page_for_any_query(client, place, name):
    for value, zone in [*product(ODD, ZONES[:1]), *product(FAR_DATES, ZONES)]:
        client.cookies["foyer_zone"] = zone
        answer = client.get(place.url(name), dict.fromkeys(PARAMETERS, value) | ASKED.get(name, {}), follow=True)
        assert answer.status_code == 200, value[:20]


@pytest.mark.parametrize("name", READING)
def test_is_read_by_head_and_takes_no_odd_method(client, place, name):
    assert client.head(place.url(name), ASKED.get(name, {}), follow=True).status_code == 200
    for method in ("put", "patch", "delete", "trace"):
        assert getattr(client, method)(place.url(name)).status_code == 405


@pytest.mark.parametrize("name", [name for name in READING if len(pages.ROUTES[name].arguments) > 1])
def test_finds_nothing_under_an_unknown_id(client, place, name):
    known = resolve(place.url(name)).kwargs
    ids = (uuid.uuid4(), uuid.UUID(int=0), uuid.UUID(int=2**128 - 1))
    for argument in set(known) - {"slug"}:
        for unknown in (0, 2**63 - 1, 2**63, 10**30) if argument in ("seq", "delivery_id") else ids:
            assert client.get(reverse(name, kwargs=known | {argument: unknown})).status_code == 404


@pytest.mark.parametrize("scope", ["\x00", "x" * 20_000, "../..", "‮"])
def test_refreshes_nothing_that_is_not_there(client, place, scope):
    answer = client.post(place.url("sync:refresh"), {"noun": "attendees", "scope": scope, "next": "//evil.test"})
    assert answer.status_code == 302
    assert answer["Location"] == f"/o/{place.slug}/"


def test_refuses_more_fields_than_any_form_has(client, place):
    many = "&".join(["class=00000000-0000-0000-0000-000000000000"] * 2000)
    assert client.get(f"{place.url('attendees:for_event')}?{many}").status_code == 400
