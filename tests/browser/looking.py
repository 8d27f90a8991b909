"""One page in a browser, wide and on a phone, light and dark: nothing for axe, nothing against the policy."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, Page, expect

from tests.browser import addresses
from tests.support import browsers
from tests.support.stack import Stack


@dataclass(frozen=True)
class Looker:
    """Somebody who is signed in, and goes from page to page."""

    stack: Stack
    page: Page
    heard: list[str] = field(default_factory=list)

    def looks_at(self, name: str, *, status: int = 200, expected: Sequence[str] = ()) -> None:
        """`expected` is what the browser itself may complain of."""
        self.heard.clear()
        for size in (browsers.WIDE, browsers.PHONE):
            self.page.set_viewport_size(size)
            answer = self.page.goto(addresses.of(self.stack, name))
            assert answer
            assert answer.status == status
            assert browsers.violations(self.page) == []
            wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{name} is {wide} px too wide at {size['width']}"
        check_the_dark_one(self.page)
        assert [line for line in self.heard if not any(part in line for part in expected)] == []


@contextmanager
def signed_in(stack: Stack, browser: Browser) -> Iterator[Looker]:
    heard: list[str] = []
    with browsers.visitor(browser, complaints=heard) as page:
        browsers.sign_in(page, stack.url)
        yield Looker(stack, page, heard)


def check_the_dark_one(page: Page) -> None:
    """It differs by its colours alone."""
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-bs-theme", "dark")
    assert browsers.violations(page, ["color-contrast"]) == []
    page.emulate_media(color_scheme="light")
