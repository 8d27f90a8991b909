import pytest

from tests.support import routes

ALLAUTH = {
    "account_login", "account_logout", "account_signup", "account_inactive", "account_reauthenticate",
    "account_change_password", "account_set_password", "account_email", "account_confirm_email",
    "account_email_verification_sent", "account_reset_password", "account_reset_password_done",
    "account_reset_password_from_key", "account_reset_password_from_key_done", "account_confirm_login_code",
    "account_request_login_code", "account_verify_phone", "account_change_phone",
}  # fmt: skip
"""Sign-in pages of the library, each of which decides for itself whom it answers."""


@pytest.mark.parametrize("route", [*routes.walk()], ids=lambda route: route.path)
def test_declares_the_role_that_it_needs(route):
    assert route.name in ALLAUTH or hasattr(route.view, "required_roles"), f"{route.path} says nobody who may see it"


@pytest.mark.parametrize("route", [route for route in routes.walk() if route.is_ours], ids=lambda route: route.path)
def test_needs_a_role_inside_an_organization(route):
    assert bool(route.view.required_roles) == route.of_an_organization


def test_names_a_view_once():
    names = [route.name for route in routes.walk()]
    assert sorted(set(names)) == sorted(names)
