"""The first journey: sign in, find the guests, and find them still when the event server is gone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import addresses
from tests.support import browsers, processes
from tests.support.event_server import TODAY


@pytest.fixture
def afterwards(stack):
    """Whoever stops the event server leaves it running for the next test."""
    yield
    stack.event_server.stop()
    stack.event_server.start()


@pytest.mark.parametrize("size", [browsers.WIDE, browsers.PHONE], ids=lambda size: str(size["width"]))
def test_finds_guests_and_finds_them_still(stack, browser, complaints, afterwards, size):
    with browsers.visitor(browser, complaints=complaints, viewport=size) as page:
        browsers.sign_in(page, stack.url)
        page.get_by_role("link", name="Events", exact=True).locator("visible=true").first.click()
        expect(page.get_by_role("heading", level=1, name="Events")).to_be_visible()
        name = stack.ask(f"SELECT name FROM events_event WHERE id = '{stack.ask(addresses.AN_EVENT)}'")  # noqa: S608
        page.get_by_role("link", name=name).first.click()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
        page.locator("main").get_by_role("link", name="Guests").locator("visible=true").first.click()
        rows = page.locator("#guest-list tbody tr")
        expect(rows.first).to_be_visible()

        wanted = stack.ask(
            f"SELECT name FROM attendees_attendee WHERE event_id = '{stack.ask(addresses.AN_EVENT)}'"  # noqa: S608
            " AND name LIKE '% %' AND length(name) > 12 ORDER BY id LIMIT 1"
        )
        before = rows.count()
        page.get_by_role("searchbox", name="Search guests").press_sequentially(wanted, delay=10)
        expect(rows.filter(has_text=wanted).first).to_be_visible()
        expect(page).to_have_url(re.compile(r"[?&]q="))
        assert rows.count() < before

        stack.event_server.stop()
        page.reload()
        expect(rows.filter(has_text=wanted).first).to_be_visible()
        page.get_by_role("button", name="Refresh").click()
        processes.wait_until(lambda: _unreachable(stack), what="the worker to notice")
        page.reload()
        expect(page.locator("#fresh")).to_contain_text(re.compile("as of", re.I))
        expect(rows.filter(has_text=wanted).first).to_be_visible()
        rows.filter(has_text=wanted).first.get_by_role("link").first.click()
        expect(page.get_by_role("heading", level=1, name=wanted)).to_be_visible()


def test_works_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.get_by_role("link", name="Events", exact=True).first.click()
        page.locator("main tbody").get_by_role("link", name=TODAY).first.click()
        page.locator("main").get_by_role("link", name="Guests").first.click()
        rows = page.locator("#guest-list tbody tr")
        expect(rows.first).to_be_visible()
        wanted = rows.first.locator("a.name").inner_text()
        page.get_by_role("searchbox", name="Search guests").fill(wanted)
        page.get_by_role("searchbox", name="Search guests").press("Enter")
        expect(rows.filter(has_text=wanted).first).to_be_visible()
        page.goto(f"{stack.url}/accounts/logout/")
        page.get_by_role("button", name="Sign out").locator("visible=true").last.click()
        page.goto(f"{stack.url}/o/demo/")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def _unreachable(stack) -> bool:
    return stack.ask("SELECT health FROM connections_connection WHERE live LIMIT 1") == "unreachable" or bool(
        stack.ask("SELECT count(*) FROM sync_sweep WHERE problem != ''")
    )
