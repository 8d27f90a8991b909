"""Every row of the table of what the API can say."""

import pytest

from organizer.upstream.answers import wait
from organizer.upstream.errors import (
    Broken,
    Forbidden,
    InProgress,
    KeyRefused,
    Limited,
    NotFound,
    Refused,
    ScopeMissing,
)

OBJECT = {"data": {"id": "e1", "name": "Gala", "status": "active"}}


def error(name, **more):
    return {"error": name, "message": f"{name}, in words", **more}


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (400, error("Validation failed"), Refused),
        (401, error("Invalid or revoked API key"), KeyRefused),
        (401, None, KeyRefused),
        (402, error("payment"), Refused),
        (403, error("insufficient_scope"), ScopeMissing),
        (403, error("ip_blocked"), Forbidden),
        (403, None, Forbidden),
        (404, error("Event not found"), NotFound),
        (404, None, Broken),
        (404, ["no", "object"], Broken),
        (405, error("method_not_allowed"), Refused),
        (408, error("timeout"), Broken),
        (409, error("idempotent_request_in_progress"), InProgress),
        (409, error("name exists"), Refused),
        (410, error("gone"), Refused),
        (413, None, Refused),
        (415, None, Refused),
        (422, error("This event is full"), Refused),
        (425, None, Broken),
        (429, error("rate_limit_exceeded"), Limited),
        (301, None, Broken),
        (302, OBJECT, Broken),
        (304, None, Broken),
        (307, None, Broken),
        (500, error("internal_error"), Broken),
        (502, None, Broken),
        (503, OBJECT, Broken),
        (200, None, Broken),
        (200, [], Broken),
        (200, "text", Broken),
        (200, {"data": []}, Broken),
        (200, {"data": None}, Broken),
        (200, {"data": {"name": "no id"}}, Broken),
    ],
)
def test_names_what_came_of_it(answering, status, body, expected):
    api = answering(status, body) if body is not None else answering(status)
    with pytest.raises(expected) as outcome:
        api.events.get("e1")
    assert type(outcome.value) is expected
    assert outcome.value.message


@pytest.mark.parametrize("body", [OBJECT, OBJECT["data"]])
def test_takes_an_object_with_and_without_its_envelope(answering, body):
    assert answering(200, body).events.get("e1").name == "Gala"


def test_names_the_scope_by_what_was_asked_for(answering):
    with pytest.raises(ScopeMissing) as refusal:
        answering(403, {"error": "insufficient_scope"}).attendees.page("e1", 1)
    assert refusal.value.scope == "attendees:read"


def test_believes_the_provider_about_the_scope(answering):
    with pytest.raises(ScopeMissing) as refusal:
        answering(403, {"error": "insufficient_scope", "required_scope": "guests:list"}).attendees.page("e1", 1)
    assert refusal.value.scope == "guests:list"


def test_keeps_what_a_form_needs_of_a_refusal(answering):
    details = [{"path": "name", "message": "too long", "code": "max"}]
    with pytest.raises(Refused) as refusal:
        answering(400, error("Validation failed", details=details)).events.create({}, idempotency_key="k")
    assert (refusal.value.status, refusal.value.error, refusal.value.details) == (400, "Validation failed", details)


@pytest.mark.parametrize(
    "odd", [{"error": {"not": "text"}}, {"error": None, "details": "x"}, {}, {"error": "\x00" * 999}]
)
def test_takes_a_refusal_without_words(answering, odd):
    with pytest.raises(Refused) as refusal:
        answering(422, odd).events.get("e1")
    assert refusal.value.details == []
    assert 0 < len(refusal.value.message) <= 300
    assert "\x00" not in refusal.value.message


def test_takes_nothing_for_a_delete(answering):
    assert answering(204).events.delete("e1", idempotency_key="k") is None
    assert answering(200, {"data": {"deleted": True, "id": "e1"}}).events.delete("e1", idempotency_key="k") is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 1),
        ({"RateLimit-Reset": "7"}, 7),
        ({"Retry-After": "3", "RateLimit-Reset": "0"}, 3),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, 1),
        ({"Retry-After": "nan"}, 1),
        ({"RateLimit-Reset": "-5"}, 1),
        ({"RateLimit-Reset": "1e99"}, 3600),
    ],
)
def test_waits_as_long_as_it_is_asked_to(headers, seconds):
    assert wait(headers) == seconds
