"""Every page but those about suppliers: nothing for axe, nothing against the policy."""

import pytest

from tests.browser import addresses, looking
from tests.support import browsers

NAMES = [name for name in addresses.PATHS if name not in addresses.ABOUT_SUPPLIERS]


@pytest.fixture(scope="module")
def looker(stack, browser):
    with looking.signed_in(stack, browser) as found:
        yield found


@pytest.mark.parametrize("name", NAMES)
def test_is_accessible_and_keeps_the_policy(looker, name):
    if name == "not-found":
        looker.looks_at(name, status=404, expected=["404"])
    else:
        looker.looks_at(name)


def test_shows_the_sign_in_form_to_a_visitor(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        page.goto(stack.url)
        assert browsers.violations(page) == []
        looking.check_the_dark_one(page)
