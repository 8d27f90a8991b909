"""What a phone's width alone breaks: menus that a row clips, pages that grow too wide; and whom the keys mean."""

import pytest
from playwright.sync_api import expect

from tests.browser import addresses
from tests.support import browsers

NARROW = {"width": 320, "height": 800}
LOW = {"width": 320, "height": 480}
LONG_AGE = """document.querySelector("#fresh > span").textContent = "Shown as of Wednesday, 30 September, 10:30 PM" """


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints, viewport=NARROW) as page:
        browsers.sign_in(page, stack.url)
        yield page


@pytest.mark.parametrize("size", [NARROW, LOW], ids=["high", "low"])
def test_filters_open_whole_on_a_phone(page, stack, size):
    page.set_viewport_size(size)
    page.goto(addresses.of(stack, "guests"))
    for name in ("Class", "Registered", "Columns"):
        menu = page.locator("#guest-chips details", has=page.locator("summary", has_text=name))
        menu.locator("summary").click()
        expect(menu.get_by_role("button", name="Show")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        page.keyboard.press("Escape")


def test_a_stale_list_is_no_wider_than_the_phone(page, stack):
    """Whatever the words about its age are, and however long."""
    page.set_viewport_size(browsers.PHONE)
    for name in ("ticket-classes", "guests", "event", "guest"):
        page.goto(addresses.of(stack, name))
        page.evaluate(LONG_AGE)
        assert page.evaluate("document.documentElement.scrollWidth") <= browsers.PHONE["width"], name


def test_no_page_is_wider_than_the_smallest_phone(page, stack):
    for name in addresses.PATHS:
        if name not in ("not-found", "sign-out"):
            page.goto(addresses.of(stack, name))
            assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], name


def test_slash_goes_to_the_search_of_the_list_itself(page, stack):
    page.set_viewport_size(browsers.WIDE)
    page.goto(addresses.of(stack, "guests"))
    page.keyboard.press("/")
    expect(page.locator("#guest-q")).to_be_focused()
    page.goto(addresses.of(stack, "overview"))
    page.keyboard.press("/")
    expect(page.locator(".find input")).to_be_focused()
