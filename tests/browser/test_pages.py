"""Every page in a browser, light and dark, wide and on a phone: nothing for axe, nothing against the policy."""

import pytest
from playwright.sync_api import expect

from tests.browser import addresses
from tests.support import browsers

EXPECTED_COMPLAINTS = {"not-found": "404"}


@pytest.fixture(scope="module")
def visit(stack, browser):
    heard: list[str] = []
    with browsers.visitor(browser, complaints=heard) as page:
        browsers.sign_in(page, stack.url)
        yield page, heard


@pytest.mark.parametrize("name", addresses.PATHS)
def test_is_accessible_and_keeps_the_policy(visit, stack, name):
    page, heard = visit
    heard.clear()
    for size in (browsers.WIDE, browsers.PHONE):
        page.set_viewport_size(size)
        answer = page.goto(addresses.of(stack, name))
        assert answer.status == (404 if name in EXPECTED_COMPLAINTS else 200)
        assert browsers.violations(page) == []
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{name} is {overflow} px too wide at {size['width']}"
    check_the_dark_one(page)
    expected = EXPECTED_COMPLAINTS.get(name)
    assert [line for line in heard if not (expected and expected in line)] == []


def test_shows_the_sign_in_form_to_a_visitor(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        page.goto(stack.url)
        assert browsers.violations(page) == []
        check_the_dark_one(page)


def check_the_dark_one(page):
    """It differs by its colours alone."""
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    assert browsers.violations(page, ["color-contrast"]) == []
    page.emulate_media(color_scheme="light")
