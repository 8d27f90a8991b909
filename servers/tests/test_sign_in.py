"""Signing in on the servers' own pages."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from servers.console import sign_in
from servers.kit import clock
from servers.organizations.models import Organization, User
from servers.tests.members import PASSWORD, browser_of, member_of

pytestmark = pytest.mark.django_db
FORM = "/sign-in/"
PAGES = [
    "/",
    "/password/",
    "/o/olive/",
    "/o/olive/mail/",
    "/o/olive/mail/1/",
    "/o/olive/settings/keys/",
    "/o/olive/settings/keys/new/",
    "/o/olive/settings/keys/1/revoke/",
    "/o/olive/settings/members/",
]


@pytest.fixture(autouse=True)
def quick_hashes(settings: Any) -> None:
    """The real one is slow by design."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def browser(organization: Organization) -> Client:
    member_of(organization, PASSWORD)
    return Client(raise_request_exception=False)


def enter(browser: Client, password: str, form: str = FORM) -> int:
    return browser.post(form, {"username": "owner@olive.test", "password": password}).status_code


def test_it_lets_a_member_in_and_leads_to_their_organization(browser):
    assert enter(browser, PASSWORD) == 302
    assert browser.get("/").headers["Location"] == "/o/olive/mail/"


@pytest.mark.parametrize("page", PAGES)
def test_it_asks_who_is_there_and_leads_back(browser, page):
    response = browser.get(page)
    assert response.status_code == 302
    assert response.headers["Location"] == f"/sign-in/?next={page}"


def test_it_leads_nobody_to_another_site(browser):
    browser.post(FORM, {"username": "owner@olive.test", "password": PASSWORD, "next": "https://evil.test/"})
    assert browser.get(FORM, {"next": "https://evil.test/"}).headers["Location"] == "/"


def test_it_signs_out_by_a_form_only(browser):
    enter(browser, PASSWORD)
    assert browser.get("/sign-out/").status_code == 405
    assert browser.post("/sign-out/").status_code == 302
    assert browser.get("/o/olive/mail/").status_code == 302


def test_it_makes_a_guesser_wait_even_with_the_right_password(browser):
    for _ in range(sign_in.PER_NAME):
        assert enter(browser, "wrong") == 200
    response = browser.post(FORM, {"username": "Owner@Olive.test", "password": PASSWORD})
    assert "Too many attempts" in response.content.decode()
    later = clock.now() + sign_in.WINDOW + timedelta(seconds=1)
    with clock.handed_in(lambda: later):
        assert enter(browser, PASSWORD) == 302


def test_it_limits_the_operators_form_too(browser):
    for _ in range(sign_in.PER_NAME):
        enter(browser, "wrong", "/admin/login/")
    page = browser.post("/admin/login/", {"username": "owner@olive.test", "password": PASSWORD})
    assert "Too many attempts" in page.content.decode()


def test_it_does_not_let_a_stranger_lock_a_member_out(browser):
    for _ in range(sign_in.PER_NAME):
        enter(browser, "wrong")
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert enter(elsewhere, PASSWORD) == 302


def test_it_forgets_failures_after_a_success(browser):
    for _ in range(2):
        for _ in range(sign_in.PER_NAME - 1):
            enter(browser, "wrong")
        assert enter(browser, PASSWORD) == 302
        browser.post("/sign-out/")


def test_it_keeps_members_out_of_the_admin_and_the_operator_out_of_organizations(organization):
    assert browser_of(organization).get("/admin/").status_code == 302
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator"))
    assert operator.get("/admin/").status_code == 200
    assert operator.get("/admin/organizations/organization/").status_code == 200
    assert operator.get("/o/olive/mail/").status_code == 404


def test_it_sends_a_strict_policy_and_no_inline_code(browser):
    enter(browser, PASSWORD)
    response = browser.get("/o/olive/settings/keys/new/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    page = response.content.decode()
    assert "<style" not in page
    assert "style=" not in page
    assert "onclick" not in page


def test_it_lets_a_member_change_their_password(browser):
    enter(browser, PASSWORD)
    new = {"new_password1": "another long one", "new_password2": "another long one"}
    assert browser.post("/password/", {"old_password": "wrong"} | new).status_code == 200
    assert browser.post("/password/", {"old_password": PASSWORD} | new).status_code == 302
    browser.post("/sign-out/")
    assert enter(browser, PASSWORD) == 200
    assert enter(browser, "another long one") == 302
