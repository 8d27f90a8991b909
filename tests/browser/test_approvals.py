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
    row.evaluate("(row) => row.scrollIntoView({block: 'center'})")
    return page.locator(f"#{row.get_attribute('id')}")


def has_focus(row):
    return row.evaluate("(row) => row.contains(document.activeElement)")


def test_approves_beside_the_list_and_goes_on_to_the_next(page, loads):
    guest = a_guest(page)
    name = guest.locator("a.name").inner_text()
    guest.locator("a.name").click()
    card = page.locator("#guest-card")
    expect(card.get_by_role("heading", name=name)).to_be_visible()
    page.evaluate(MARK)
    scrolled = page.evaluate("scrollY")
    card.get_by_role("button", name="Approve").click()
    expect(guest).to_contain_text("Approved, sends in")
    expect(page.locator("#toasts")).to_contain_text(f"{name} approved.")
    assert page.evaluate(UNMARKED) == 1
    following = page.locator(f"#{guest.get_attribute('id')} + tbody")
    expect(card.get_by_role("heading", name=following.locator("a.name").inner_text())).to_be_visible()
    assert has_focus(following)
    assert page.evaluate("scrollY") == scrolled

    page.keyboard.press("z")
    expect(guest).to_contain_text("Pending")
    expect(page.locator("#toasts .toast-x[data-life]")).to_have_count(0)
    assert page.evaluate(UNMARKED) == 1
    assert has_focus(following)
    assert page.evaluate("scrollY") == scrolled
    assert loads == []


def test_approves_in_the_row(page, loads, stack):
    page.goto(f"{stack.url}/o/demo/guests/?status=pending_approval")
    loads.clear()
    guest = a_guest(page)
    page.evaluate(MARK)
    scrolled = page.evaluate("scrollY")
    guest.get_by_role("button", name="Approve").click()
    expect(guest).to_contain_text("Approved, sends in")
    assert has_focus(guest)
    guest.get_by_role("button", name="Undo").click()
    expect(guest).to_contain_text("Pending")
    assert has_focus(guest)
    assert page.evaluate(UNMARKED) == 1
    assert page.evaluate("scrollY") == scrolled
    assert loads == []


def test_decides_with_a_message_and_the_guest_hears_of_it_once(page, loads, stack):
    guest = a_guest(page)
    guest.locator("a.name").click()
    address = guest.locator(".guest-mail").text_content()
    before = len(mails_to(stack, address))
    page.keyboard.press("m")
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


def test_looks_at_a_message_before_it_is_sent_and_keeps_it(page):
    guest = a_guest(page)
    guest.locator("a.name").click()
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Message", exact=True).fill("Dear {first_name}, see you at {event}.")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.locator(".letter")).to_contain_text("see you at")
    expect(dialog.locator(".letter")).not_to_contain_text("{")
    expect(dialog.get_by_label("Message", exact=True)).to_have_value("Dear {first_name}, see you at {event}.")
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("x")
    page.get_by_role("button", name="More…").click()
    expect(page.get_by_role("dialog", name="selected").locator(".letter")).to_have_count(0)  # that was about one guest
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Select nobody").click()


def test_takes_a_decision_about_many_back_by_key_wherever_the_page_stands(page):
    guest = a_guest(page)
    other = page.locator(f"#{guest.get_attribute('id')} + tbody")
    other = page.locator(f"#{other.get_attribute('id')}")
    for one in (guest, other):
        one.get_by_role("checkbox").check()
    page.keyboard.press("a")
    toast = page.locator("#toasts .toast-x[data-life]")
    expect(toast).to_contain_text("2 guests approved.")
    expect(toast).to_be_in_viewport()
    expect(guest).to_have_count(0)
    page.keyboard.press("z")
    expect(page.locator("#toasts")).to_contain_text("Taken back.")
    expect(toast).to_have_count(0)
    for one in (guest, other):
        expect(one).to_contain_text("Pending")


def test_is_done_by_keys(page, loads):
    page.keyboard.press("j")
    mark = page.locator(f"#{page.locator('.is-cursor').get_attribute('id')}")
    expect(page.locator("#guest-card")).to_have_attribute("data-of", mark.get_attribute("id"))
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


def test_is_about_the_row_under_the_cursor_however_fast_the_keys(page):
    page.route("**/card/", lambda route: None)  # beside the list there will only be the guest before
    for _ in range(3):
        page.keyboard.press("j")
    mark = page.locator(f"#{page.locator('.is-cursor').get_attribute('id')}")
    page.keyboard.press("a")
    expect(mark).to_contain_text("Approved, sends in")
    mark.get_by_role("button", name="Undo").click()
    expect(mark).to_contain_text("Pending")


def approve_two(page):
    for row in (2, 3):
        page.locator(ROWS).nth(row).get_by_role("checkbox").check()
    chosen = [page.locator(ROWS).nth(row).get_attribute("id") for row in (2, 3)]
    page.get_by_role("toolbar", name="Selection").get_by_role("button", name="Approve").click()
    return chosen


def test_decides_about_many_and_takes_it_back(page, stack):
    chosen = approve_two(page)
    strip = page.locator("#work")
    expect(strip).to_contain_text("Approving 2 guests")
    for one in chosen:
        expect(page.locator(f"#{one}")).to_have_count(0)
    details = strip.get_by_role("link", name="Details").get_attribute("href")
    strip.get_by_role("button", name="Undo").click()
    expect(page).to_have_url(re.compile("/approvals/$"))
    for one in chosen:
        expect(page.locator(f"#{one}")).to_contain_text("Pending")
    page.goto(stack.url + details)
    expect(page.locator("#batch-state")).to_contain_text("2 taken back")
    expect(page.locator("#batch-state .each li")).to_have_count(2)
    assert browsers.violations(page) == []
    page.goto(f"{stack.url}/o/demo/approvals/")
    approve_two(page)
    expect(page.locator("#toasts")).to_contain_text("2 guests approved.")
    assert browsers.violations(page) == []  # last: on a busy machine it may outlast the ten seconds


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
