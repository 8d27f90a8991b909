"""What holds for every request: who asks, how often, and the shape of a refusal."""

from datetime import timedelta

import pytest
from django.test import Client

from servers.event_api import api as event_api
from servers.event_api.models import Event
from servers.kit import clock
from servers.organizations import actions
from servers.organizations.models import ApiKey, Organization
from servers.tests import factories
from servers.tests.asserts import assert_refused
from servers.tests.conftest import Api, api_for

pytestmark = pytest.mark.django_db
HEADERS = ("X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
OPERATIONS = [
    ("GET", "/events", "events:read"),
    ("POST", "/events", "events:write"),
    ("GET", "/events/{e}", "events:read"),
    ("PATCH", "/events/{e}", "events:write"),
    ("DELETE", "/events/{e}", "events:write"),
    ("GET", "/events/{e}/ticket-classes", "ticket_classes:read"),
    ("POST", "/events/{e}/ticket-classes", "ticket_classes:write"),
    ("GET", "/events/{e}/ticket-classes/{c}", "ticket_classes:read"),
    ("PATCH", "/events/{e}/ticket-classes/{c}", "ticket_classes:write"),
    ("DELETE", "/events/{e}/ticket-classes/{c}", "ticket_classes:write"),
    ("GET", "/events/{e}/attendees", "attendees:read"),
    ("POST", "/events/{e}/attendees", "attendees:write"),
    ("GET", "/events/{e}/attendees/{a}", "attendees:read"),
    ("PATCH", "/events/{e}/attendees/{a}", "attendees:write"),
    ("DELETE", "/events/{e}/attendees/{a}", "attendees:write"),
    ("POST", "/events/{e}/attendees/{a}/cancel-upgrade", "attendees:write"),
    ("POST", "/events/{e}/attendees/{a}/resend", "attendees:write"),
]
BODIES = {
    ("POST", "/events/{e}/ticket-classes"): {"name": "Balcony"},
    ("POST", "/events/{e}/attendees"): {"ticket_class_id": "x", "contact": {"email": "a@b.c"}},
    ("PATCH", "/events/{e}/attendees/{a}"): {"status": "valid"},
    ("PATCH", "/events/{e}"): {"hidden": True},
    ("POST", "/events/{e}/attendees/{a}/resend"): {},
    ("PATCH", "/events/{e}/ticket-classes/{c}"): {"name": "Balcony"},
}


@pytest.fixture
def of_sam(stranger: Organization) -> dict[str, str]:
    """Ids of another organization's objects."""
    event = factories.event(stranger)
    ticket_class = factories.ticket_class(event)
    return {"e": event.pk, "c": ticket_class.pk, "a": factories.attendee(ticket_class).pk}


def test_lists_every_operation_here():
    documented = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in event_api.api.get_openapi_schema()["paths"].items()
        for method in methods
    }
    known = {"{e}": "{event_id}", "{c}": "{ticket_class_id}", "{a}": "{attendee_id}"}
    listed = set()
    for method, path, _ in OPERATIONS:
        for short, long in known.items():
            path = path.replace(short, long)
        listed.add((method, path))
    assert documented == listed


@pytest.mark.parametrize(("method", "path", "scope"), OPERATIONS)
class TestEveryOperation:
    def test_needs_a_key(self, organization, method, path, scope):
        assert_refused(Api(None).call(method, path), 401, "Missing X-API-KEY header")
        assert_refused(Api("evt_live_unknown").call(method, path), 401, "Invalid or revoked API key")

    def test_needs_exactly_its_scope(self, organization, method, path, scope):
        others = [one for _, _, one in OPERATIONS if one != scope]
        refused = assert_refused(api_for(organization, *others).call(method, path, {}), 403, "insufficient_scope")
        assert refused["required_scope"] == scope
        assert api_for(organization, scope).call(method, path, {}).status_code != 403

    def test_finds_nothing_of_another_organization(self, api, of_sam, method, path, scope):
        if "{" not in path:
            return
        answers = [
            api.call(method, path.format(**ids), BODIES.get((method, path)))
            for ids in (of_sam, {"e": "a" * 20, "c": "b" * 20, "a": "c" * 20})
        ]
        for response in answers:
            assert_refused(response, 404, "Event not found")
        assert answers[0].content == answers[1].content


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/events", 200),
        ("GET", "/events?page=0", 400),
        ("GET", "/events/nothing", 404),
        ("GET", "/no/such/route", 404),
        ("PUT", "/events", 405),
        ("HEAD", "/events", 405),
        ("POST", "/events", 400),
    ],
)
def test_names_the_request_and_the_limit_on_every_status(api, method, path, status):
    response = api.call(method, path)
    assert response.status_code == status
    assert all(header in response for header in HEADERS)
    assert len(response["X-Request-Id"]) == 32
    assert response["Cache-Control"] == "no-store"


def test_names_them_without_a_key(db):
    first, second = (Api(None).get("/events") for _ in range(2))
    assert all(header in first for header in HEADERS)
    assert int(second["RateLimit-Remaining"]) == int(first["RateLimit-Remaining"]) - 1


@pytest.mark.parametrize("path", ["/api/v1", "/api/v1/", "/api/v2/events", "/api/v1/events/"])
def test_answers_every_address_under_api_as_the_api(client, db, path):
    response = client.get(path)
    assert_refused(response, 404, "not_found")
    assert all(header in response for header in HEADERS)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_lets_the_document_only_be_read(db, method):
    response = Client(enforce_csrf_checks=True).generic(method, "/api/v1/openapi.json")
    assert_refused(response, 405, "method_not_allowed")


def test_says_a_reasonable_number_of_things_about_a_body(api):
    refused = assert_refused(api.post("/events", {f"field{n}": n for n in range(500)}), 400, "Validation failed")
    assert len(refused["details"]) == 50


@pytest.mark.parametrize(
    ("method", "path", "body", "noun"),
    [
        ("GET", "/events/{e}/ticket-classes/{c}", None, "Ticket class"),
        ("PATCH", "/events/{e}/ticket-classes/{c}", {"name": "Mine"}, "Ticket class"),
        ("DELETE", "/events/{e}/ticket-classes/{c}", None, "Ticket class"),
        ("GET", "/events/{e}/attendees/{a}", None, "Attendee"),
        ("PATCH", "/events/{e}/attendees/{a}", {"status": "valid"}, "Attendee"),
        ("DELETE", "/events/{e}/attendees/{a}", None, "Attendee"),
        ("POST", "/events/{e}/attendees/{a}/cancel-upgrade", None, "Attendee"),
        ("POST", "/events/{e}/attendees/{a}/resend", {}, "Attendee"),
    ],
)
def test_finds_nothing_under_a_parent_that_is_not_its_own(api, organization, event, of_sam, method, path, body, noun):
    other = factories.ticket_class(factories.event(organization))
    of_another_event = {"c": other.pk, "a": factories.attendee(other).pk}
    for ids in (of_sam, of_another_event, {"c": "c" * 20, "a": "a" * 20}):
        assert_refused(api.call(method, path.format(**ids | {"e": event.pk}), body), 404, f"{noun} not found")


def test_answers_unknown_routes_in_its_own_shape(api):
    assert_refused(api.get("/no/such/route"), 404, "not_found")
    refused = api.call("PUT", "/events")
    assert_refused(refused, 405, "method_not_allowed")
    assert refused["Allow"] == "GET, POST"


def test_takes_the_key_as_a_bearer_credential(api):
    assert Api(None).get("/events", Authorization=f"Bearer {api.secret}").status_code == 200
    assert api.get("/events", Authorization=f"Bearer {api.secret}").status_code == 200


def test_refuses_two_keys_that_differ(api, organization):
    other = api_for(organization)
    refused = api.get("/events", Authorization=f"Bearer {other.secret}")
    assert_refused(refused, 401, "Invalid or revoked API key")


def test_refuses_a_revoked_key_on_the_next_request(api):
    assert api.get("/events").status_code == 200
    actions.revoke_key(key=ApiKey.objects.get())
    assert_refused(api.get("/events"), 401, "Invalid or revoked API key")


def test_lets_write_not_imply_read(organization):
    assert_refused(api_for(organization, "events:write").get("/events"), 403, "insufficient_scope")


def test_shows_a_failure_with_its_request_and_without_a_trace(api, event):
    Event.objects.filter(pk=event.pk).update(start_at="9999-12-31T23:00:00Z", end_at=None)
    refused = api.get(f"/events/{event.pk}")
    assert refused.status_code == 500
    assert refused.json()["error"] == "internal_error"
    assert refused.json()["request_id"] == refused["X-Request-Id"]
    assert b"Traceback" not in refused.content
    assert "RateLimit-Limit" in refused


class TestLimit:
    def test_holds_the_key_to_its_own(self, organization):
        api = api_for(organization, limit="3/10")
        with clock.handed_in(lambda: factories.START):
            seen = [api.get("/events") for _ in range(5)]
        assert [one.status_code for one in seen] == [200, 200, 200, 429, 429]
        assert [one["RateLimit-Remaining"] for one in seen] == ["2", "1", "0", "0", "0"]
        assert {one["RateLimit-Limit"] for one in seen} == {"3"}
        assert_refused(seen[-1], 429, "rate_limit_exceeded")
        assert seen[-1]["Retry-After"] == seen[-1]["RateLimit-Reset"] == "10"

    def test_ends_with_its_window(self, organization):
        api, now = api_for(organization, limit="1/10"), factories.START
        for seconds, status, reset in [(0, 200, "10"), (0.5, 429, "10"), (9.2, 429, "1"), (10, 200, "10")]:
            at = now + timedelta(seconds=seconds)
            with clock.handed_in(lambda at=at: at):
                response = api.get("/events")
            assert (response.status_code, response["RateLimit-Reset"]) == (status, reset)

    def test_bears_a_clock_that_was_set_back(self, organization):
        api = api_for(organization, limit="1/10")
        for hours in (5, 0):
            at = factories.START + timedelta(hours=hours)
            with clock.handed_in(lambda at=at: at):
                assert api.get("/events").status_code == 200

    def test_counts_an_unknown_key_on_its_address(self, db):
        with clock.handed_in(lambda: factories.START):
            statuses = [Api(f"evt_live_{n}").get("/events").status_code for n in range(61)]
        assert statuses == [401] * 60 + [429]


def test_serves_the_document_to_everybody(db):
    response = Client().get("/api/v1/openapi.json")
    assert response.status_code == 200
    assert response.json()["openapi"].startswith("3.1")
