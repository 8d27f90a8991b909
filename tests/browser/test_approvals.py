"""A decision in place: only its row changes, it can be undone, and the guest hears of it."""

import re
import sqlite3

import pytest
from playwright.sync_api import expect

from tests.support import browsers, processes

ROWS = "#guest-list tbody[data-row]"
MARK = "document.querySelectorAll('#guest-list tbody[data-row]').forEach((row) => row.setAttribute('data-mark', '1'))"
UNMARKED = "document.querySelectorAll('#guest-list tbody[data-row]:not([data-mark])').length"


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as visitor:
        browsers.sign_in(visitor, stack.url)
        visitor.goto(f"{stack.url}/o/demo/approvals/")
        yield visitor


@pytest.fixture
def loads(page):
    """Whole pages that were loaded since."""
    seen = []
    page.on("request", lambda request: seen.append(request.url) if request.resource_type == "document" else None)
    return seen


def mails_to(stack, address):
    with sqlite3.connect(f"file:{stack.data / 'servers.sqlite3'}?mode=ro", uri=True) as database:
        found = database.execute('SELECT text FROM mail_outgoingmail WHERE "to" = ?', [address]).fetchall()
    return [text for (text,) in found]


def a_guest(page):
    """One far down, so that the page is scrolled; its row is found again by its id."""
    row = page.locator(ROWS).nth(30)
    row.scroll_into_view_if_needed()
    return page.locator(f"#{row.get_attribute('id')}")


def test_approves_in_place(page, loads):
    guest = a_guest(page)
    name = guest.locator("a.name").inner_text()
    page.evaluate(MARK)
    scrolled = page.evaluate("scrollY")
    guest.get_by_role("button", name="Approve").click()
    expect(guest).to_contain_text("Approved, sends in")
    assert page.evaluate(UNMARKED) == 1
    assert page.evaluate("scrollY") == scrolled
    assert guest.evaluate("(row) => row.contains(document.activeElement)")
    expect(page.locator("#toasts")).to_contain_text(f"{name} approved.")

    page.keyboard.press("z")
    expect(guest).to_contain_text("Pending")
    expect(page.locator("#toasts .toast-x[data-life]")).to_have_count(0)
    assert page.evaluate(UNMARKED) == 1
    assert page.evaluate("scrollY") == scrolled
    assert guest.evaluate("(row) => row.contains(document.activeElement)")
    assert loads == []


def test_decides_with_a_message_and_the_guest_hears_of_it_once(page, loads, stack):
    guest = a_guest(page)
    address = guest.locator(".guest-mail").text_content()
    before = len(mails_to(stack, address))
    guest.get_by_role("link", name="More for").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Message")).to_be_focused()
    dialog.get_by_label("Message").fill("See you on the roof!")
    dialog.get_by_label("Tell the guest by mail").check()
    dialog.get_by_role("button", name="Approve").click()
    expect(dialog).to_be_hidden()
    expect(guest).to_contain_text("Approved, sends in")
    expect(guest).to_contain_text("Going", timeout=20_000)  # it asks for itself until it is told
    processes.wait_until(lambda: len(mails_to(stack, address)) > before, what="the mail to the guest")
    mails = mails_to(stack, address)
    assert len(mails) == before + 1
    assert "See you on the roof!" in mails[-1]
    assert loads == []


def test_is_done_by_keys(page, loads):
    page.keyboard.press("j")
    first = page.locator(".is-cursor")
    mark = page.locator(f"#{first.get_attribute('id')}")
    page.keyboard.press("r")
    expect(mark).to_contain_text("Rejected, sends in")
    page.keyboard.press("z")
    expect(mark).to_contain_text("Pending")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    bar = page.get_by_role("toolbar", name="Selection")
    expect(bar).to_contain_text("2 selected")
    assert browsers.violations(page) == []
    assert loads == []


def test_decides_about_many_and_takes_it_back(page, stack):
    for row in (2, 3):
        page.locator(ROWS).nth(row).get_by_role("checkbox").check()
    chosen = [page.locator(ROWS).nth(row).get_attribute("id") for row in (2, 3)]
    page.get_by_role("toolbar", name="Selection").get_by_role("button", name="Approve").click()
    strip = page.locator("#work")
    expect(strip).to_contain_text("Approving 2 guests")
    for one in chosen:
        expect(page.locator(f"#{one}")).to_have_count(0)
    strip.get_by_role("button", name="Undo").click()
    expect(page).to_have_url(re.compile("/approvals/$"))
    for one in chosen:
        expect(page.locator(f"#{one}")).to_contain_text("Pending")


def test_works_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/approvals/")
        guest = page.locator(f"#{page.locator(ROWS).nth(5).get_attribute('id')}")
        link = guest.locator("a.name").get_attribute("href")
        guest.get_by_role("button", name="Approve").click()
        expect(page.locator("#toasts")).to_contain_text("approved.")
        page.goto(stack.url + link)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#guest-state")).to_contain_text("Pending")
        expect(page.locator("#guest-history")).to_contain_text("Taken back")
