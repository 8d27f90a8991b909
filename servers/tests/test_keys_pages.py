"""Organization settings → API keys."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils.html import escape

from servers.organizations import actions, scopes
from servers.organizations.models import ApiKey, Organization
from servers.tests.asserts import assert_refused
from servers.tests.conftest import Api
from servers.tests.members import browser_of, member_of

pytestmark = pytest.mark.django_db
KEYS = "/o/olive/settings/keys/"
NEW = "/o/olive/settings/keys/new/"
SECRET = re.compile(r"evt_live_[A-Za-z0-9_-]{43}")


@pytest.fixture
def browser(organization: Organization) -> Client:
    return browser_of(organization)


def filled_in(name: str = "Website", **chosen: str) -> dict[str, str]:
    return {"name": name} | dict.fromkeys(scopes.RESOURCES, "none") | chosen


def make(browser: Client, **chosen: str) -> tuple[Any, str]:
    response = browser.post(NEW, filled_in(**chosen))
    assert response.status_code == 200
    [secret] = set(SECRET.findall(response.content.decode()))
    return response, secret


def test_it_makes_a_key_that_works_and_stores_only_its_hash(browser, organization):
    _, secret = make(browser, events="read")
    key = organization.api_keys.get()
    assert (key.sha256, key.last4) == (actions.digest(secret), secret[-4:])
    assert key.created_by.username == "owner@olive.test"
    stored = [str(value) for row in ApiKey.objects.values() for value in row.values()]
    assert not [value for value in stored if secret in value]
    assert Api(secret).get("/events").status_code == 200


def test_it_shows_the_key_once_and_keeps_it_out_of_caches_and_the_session(browser):
    response, secret = make(browser, events="read")
    assert "no-store" in response["Cache-Control"]
    assert secret not in browser.get(KEYS).content.decode()
    assert secret not in browser.get(NEW).content.decode()
    assert not [s for s in Session.objects.all() if secret in str(s.get_decoded())]


def test_it_lists_a_key_by_its_beginning_its_end_and_what_it_may_do(browser):
    _, secret = make(browser, events="read+write", attendees="read")
    page = browser.get(KEYS).content.decode()
    assert f"{secret[:13]}…{secret[-4:]}" in page
    assert "<b>events</b> read, write" in page
    assert "<b>attendees</b> read<" in page
    assert "never" in page


def test_it_says_when_a_key_was_last_used(browser):
    _, secret = make(browser, events="read")
    Api(secret).get("/events")
    assert "never" not in browser.get(KEYS).content.decode()


@pytest.mark.parametrize(
    ("access", "granted"),
    [("read", ["events:read"]), ("write", ["events:write"]), ("read+write", ["events:read", "events:write"])],
)
def test_it_grants_exactly_what_was_ticked(browser, organization, access, granted):
    make(browser, events=access)
    assert organization.api_keys.get().scopes == granted


def test_it_refuses_the_key_from_the_request_after_it_was_revoked(browser, organization):
    _, secret = make(browser, events="read")
    api = Api(secret)
    assert api.get("/events").status_code == 200
    key = organization.api_keys.get()
    assert "cannot be undone" in browser.get(f"{KEYS}{key.pk}/revoke/").content.decode()
    assert api.get("/events").status_code == 200
    assert browser.post(f"{KEYS}{key.pk}/revoke/").status_code == 302
    assert_refused(api.get("/events"), 401, "Invalid or revoked API key")
    assert "Revoked" in browser.get(KEYS).content.decode()


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (filled_in(), "Choose at least one thing"),
        (filled_in(name="", events="read"), "required"),
        (filled_in(name="n" * 121, events="read"), "at most 120"),
        (filled_in(events="all"), "Select a valid choice"),
        (filled_in(forms="write"), "Select a valid choice"),
    ],
)
def test_it_says_what_is_wrong_and_makes_no_key(browser, organization, form, told):
    response = browser.post(NEW, form)
    assert response.status_code == 422
    assert told in response.content.decode()
    assert not organization.api_keys.exists()


def test_it_makes_one_key_of_a_form_that_was_sent_twice(browser, organization):
    make(browser, events="read")
    assert browser.post(NEW, filled_in(events="read")).status_code == 422
    assert organization.api_keys.count() == 1


def test_it_shows_a_name_as_it_was_typed(browser):
    name = "<script>alert(1)</script> מפתח"
    browser.post(NEW, filled_in(name=name, events="read"))
    page = browser.get(KEYS).content.decode()
    assert escape(name) in page
    assert name not in page


def test_it_hides_another_organizations_keys(browser, stranger):
    browser_of(stranger)
    theirs = actions.create_key(organization=stranger, scopes=["events:read"], name="Sam's").key
    assert "Sam&#x27;s" not in browser.get(KEYS).content.decode()
    for address in (
        f"/o/sam/settings/keys/{theirs.pk}/revoke/",
        f"/o/olive/settings/keys/{theirs.pk}/revoke/",
        "/o/sam/settings/keys/",
        "/o/sam/settings/keys/new/",
        "/o/sam/settings/members/",
    ):
        assert browser.get(address).status_code == 404, address
        assert browser.post(address, filled_in(events="read")).status_code in (404, 405), address
    theirs.refresh_from_db()
    assert theirs.revoked_at is None
    assert stranger.api_keys.count() == 1


def test_it_honours_no_session_under_the_api(browser):
    assert_refused(browser.get("/api/v1/events"), 401, "Missing X-API-KEY header")


def test_it_takes_a_form_only_with_its_token(organization):
    strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
    strict.force_login(member_of(organization))
    assert strict.post(NEW, filled_in(events="read")).status_code == 403
    assert not organization.api_keys.exists()


def test_it_lists_the_members_of_the_organization_only(browser, stranger):
    browser_of(stranger)
    page = browser.get("/o/olive/settings/members/").content.decode()
    assert "owner@olive.test" in page
    assert "owner@sam.test" not in page


def test_it_says_everything_of_a_key_that_may_do_everything(browser, organization):
    actions.create_key(organization=organization, scopes=list(scopes.ALL))
    page = browser.get(KEYS).content.decode()
    assert "<b>everything</b>" in page
    assert "<b>events</b>" not in page
