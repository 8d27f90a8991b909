"""Every page about suppliers, their deliveries and orders: nothing for axe, nothing against the policy."""

import pytest

from tests.browser import addresses, looking


@pytest.fixture(scope="module")
def looker(stack, browser):
    with looking.signed_in(stack, browser) as found:
        yield found


@pytest.mark.parametrize("name", addresses.ABOUT_SUPPLIERS)
def test_is_accessible_and_keeps_the_policy(looker, name):
    looker.looks_at(name)
