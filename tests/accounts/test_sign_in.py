from datetime import timedelta

import pytest
from django.contrib.auth import get_user
from django.core.cache import cache
from django.test import Client, override_settings
from django.utils import timezone

from organizer.accounts.models import Membership, Session, User
from organizer.accounts.tasks import forget_sessions
from tests.support.cast import PASSWORD

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"


@pytest.fixture(autouse=True)
def forgotten_attempts():
    cache.clear()


def sign_in(client, email, password=PASSWORD, **extra):
    return client.post(LOGIN, {"login": email, "password": password}, **extra)


def test_leads_to_the_organization(client, cast):
    assert sign_in(client, "olive@harbour.test")["Location"] == "/"
    assert client.get("/")["Location"] == "/o/harbour/"


def test_takes_an_address_in_any_case(client, cast):
    assert sign_in(client, "OLIVE@Harbour.TEST").status_code == 302


def test_returns_to_the_page_that_was_asked_for(client, cast):
    asked = client.get("/o/harbour/settings/members/")
    assert asked["Location"] == "/accounts/login/?next=/o/harbour/settings/members/"
    answer = client.post(
        asked["Location"], {"login": "max@harbour.test", "password": PASSWORD, "next": "/o/harbour/settings/members/"}
    )
    assert answer["Location"] == "/o/harbour/settings/members/"


def test_goes_to_no_other_host(client, cast):
    answer = client.post(
        f"{LOGIN}?next=//evil.test/", {"login": "max@harbour.test", "password": PASSWORD, "next": "//evil.test/"}
    )
    assert answer["Location"] == "/"


def test_says_the_same_for_a_wrong_password_and_an_unknown_address(client, cast):
    wrong = sign_in(client, "olive@harbour.test", "nonsense at all")
    unknown = sign_in(client, "nobody@harbour.test", "nonsense at all")
    assert wrong.context["form"].errors == unknown.context["form"].errors


def test_slows_down_guessing(client, cast):
    for _ in range(5):
        sign_in(client, "olive@harbour.test", "nonsense at all")
    answer = sign_in(client, "olive@harbour.test")
    assert answer.status_code == 200
    assert "Too many" in answer.content.decode()


def test_says_in_words_that_a_network_asked_too_often(client, db):
    answers = [client.post("/accounts/password/reset/", {"email": f"p{n}@x.test"}) for n in range(21)]
    assert answers[-1].status_code == 429
    assert "Wait a minute" in answers[-1].content.decode()


def test_lets_nobody_sign_up(client, db):
    answer = client.get("/accounts/signup/")
    assert "Accounts are made by owners" in answer.content.decode()


def test_signs_out_by_post_only(client, cast):
    client.force_login(cast.olive)
    client.get("/accounts/logout/")
    assert client.get("/")["Location"] == "/o/harbour/"
    client.post("/accounts/logout/")
    assert client.get("/")["Location"] == LOGIN


def test_mails_a_link_to_a_new_password(client, cast, mailoutbox):
    client.post("/accounts/password/reset/", {"email": "olive@harbour.test"})
    link = next(word for word in mailoutbox[0].body.split() if "/accounts/password/reset/key/" in word)
    path = link[link.index("/accounts/") :]
    form = client.get(path, follow=True)
    new = "a longer and better one"
    client.post(form.redirect_chain[-1][0], {"password1": new, "password2": new})
    assert sign_in(client, "olive@harbour.test", new).status_code == 302


@override_settings(PUBLIC_URL="https://foyer.example", ALLOWED_HOSTS=["*"])
def test_mails_no_link_to_the_host_that_a_request_names(client, cast, mailoutbox):
    client.post("/accounts/password/reset/", {"email": "olive@harbour.test"}, headers={"Host": "evil.test"})
    assert "https://foyer.example/accounts/password/reset/key/" in mailoutbox[0].body
    assert "evil.test" not in mailoutbox[0].subject + mailoutbox[0].body


PAGES = ("login", "logout", "password/change", "password/reset", "password/reset/done", "password/reset/key/done")
PAGES += ("password/reset/key/a-b", "inactive", "reauthenticate")


@pytest.mark.parametrize("name", PAGES)
def test_draws_every_page_in_our_look(client, cast, name):
    if name != "login":
        client.force_login(cast.olive)
    answer = client.get(f"/accounts/{name}/")
    assert answer.status_code == 200
    assert 'class="bare"' in answer.content.decode()
    assert "style=" not in answer.content.decode()


def test_gives_scripts_and_other_sites_no_cookie_to_use(client, cast):
    answer = sign_in(client, "olive@harbour.test")
    session = answer.cookies["foyer_session"]
    assert session["httponly"]
    assert session["samesite"] == "Lax"
    assert answer.cookies["foyer_csrf"]["httponly"]


def test_takes_no_session_that_was_handed_to_a_visitor(client, cast):
    client.cookies["foyer_session"] = "a" * 32
    assert sign_in(client, "olive@harbour.test").cookies["foyer_session"].value != "a" * 32


def test_takes_no_form_without_its_token(cast):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.olive)
    for address in ("/o/harbour/refresh/", "/o/harbour/settings/connections/add/", "/theme/", "/accounts/logout/"):
        assert strict.post(address, {"noun": "events"}).status_code == 403


def test_the_session_says_whose_it_is_and_goes_when_it_has_expired(client, cast):
    sign_in(client, "olive@harbour.test")
    mine = Session.objects.get(user=cast.olive)
    Session.objects.create(session_key="old", session_data="", expire_date=timezone.now() - timedelta(seconds=1))
    forget_sessions()
    assert list(Session.objects.all()) == [mine]
    client.post("/accounts/logout/")
    assert not Session.objects.filter(user=cast.olive).exists()


def test_a_person_of_no_organization_is_signed_in_all_the_same(client, cast):
    Membership.objects.filter(user=cast.max).delete()
    sign_in(client, "max@harbour.test")
    assert get_user(client) == cast.max


def test_who_was_shut_out_is_so_at_once(client, cast):
    sign_in(client, "olive@harbour.test")
    User.objects.filter(pk=cast.olive.pk).update(is_active=False)
    assert client.get("/o/harbour/")["Location"].startswith(LOGIN)
