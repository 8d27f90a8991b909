"""One guest's evening: approved with a message, taken back, approved again, mailed, let in once, and taken back."""

import re
import sqlite3
from contextlib import contextmanager
from uuid import UUID

import pytest
from playwright.sync_api import expect

from tests.support import browsers, processes
from tests.support.stack import PASSWORD

WAITING = """SELECT id, name, email, barcode, remote_id FROM attendees_attendee
  WHERE event_id = '{event}' AND status = 'pending_approval' AND outbox = '{{}}' AND barcode != '' AND email != ''
  ORDER BY id DESC"""
MESSAGE = "Bring a coat: we open the roof."


@pytest.fixture
def olive(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        browsers.sign_in(page, stack.url)
        yield page


@pytest.fixture
def dora(stack, browser, complaints):
    """At the door, with a phone."""
    with browsers.visitor(browser, complaints=complaints, viewport=browsers.PHONE) as page:
        browsers.sign_in(page, stack.url, "door@demo.test")
        yield page


@pytest.fixture
def guest(stack, olive):
    """Of today's event, where the door opens."""
    olive.goto(f"{stack.url}/o/demo/door/")
    event = UUID(re.search(r"/door/([0-9a-f-]+)/", olive.url)[1])
    key, *others = stack.rows(WAITING.format(event=event.hex))[0]
    return UUID(key), *others


def at_the_provider(stack, remote_id):
    with sqlite3.connect(f"file:{stack.data / 'servers.sqlite3'}?mode=ro", uri=True) as database:
        return database.execute("SELECT status FROM event_api_attendee WHERE id = ?", [remote_id]).fetchone()[0]


def approve_with_a_message(page):
    state = page.locator("#guest-state")
    state.get_by_text("With a message", exact=True).click()
    state.get_by_label("Message", exact=True).fill(MESSAGE)
    state.get_by_label("Tell the guest by mail").check()
    state.get_by_role("button", name="Approve").click()
    expect(state).to_contain_text("Approved, sends in")


def scan(page, code):
    page.get_by_label("Ticket code or name").press_sequentially(code)
    page.keyboard.press("Enter")


def mails_in_the_mailbox(page, stack, address):
    """Signed in at the provider's own pages: the mails to this guest."""
    page.goto(f"{stack.event_server.url}/o/demo/mail/")
    if page.locator("[name=password]").count():
        page.locator("[name=username]").fill("owner@demo.test")
        page.locator("[name=password]").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.goto(f"{stack.event_server.url}/o/demo/mail/")
    return page.get_by_role("row").filter(has_text=address)


@contextmanager
def stopped(stack, whether):
    """What happens inside happens without the event server, where it is to be stopped."""
    if whether:
        stack.event_server.stop()
    try:
        yield
    finally:
        if whether:
            stack.event_server.start()


@pytest.mark.parametrize("gone", [False, True], ids=["with the event server", "with the event server stopped"])
def test_is_approved_told_and_let_in_once(stack, olive, dora, guest, gone):
    key, name, address, code, remote_id = guest
    with stopped(stack, gone):
        olive.goto(f"{stack.url}/o/demo/guests/{key}/")
        approve_with_a_message(olive)
        olive.locator("#guest-state").get_by_role("button", name="Undo").click()
        expect(olive.locator("#guest-state")).to_contain_text("Pending")
        approve_with_a_message(olive)

        dora.goto(f"{stack.url}/o/demo/door/")
        scan(dora, code)
        verdict = dora.locator("#verdict")
        expect(verdict).to_contain_text(f"Welcome, {name}")

        olive.goto(f"{stack.url}/o/demo/door/")
        scan(olive, code)
        second = olive.locator("#verdict")
        expect(second).to_contain_text("Already checked in")
        expect(second).to_contain_text(re.compile(r"\d\d:\d\d:\d\d.*at Check-in desk by Dora Kovalchuk", re.S))

    processes.wait_until(
        lambda: at_the_provider(stack, remote_id) == "checked_in", seconds=90, what="the provider to know of it"
    )
    with browsers.visitor(olive.context.browser) as mailbox:
        found = mails_in_the_mailbox(mailbox, stack, address)
        expect(found).to_have_count(1)
        found.get_by_role("link").first.click()
        expect(mailbox.locator("main")).to_contain_text(MESSAGE)

    with stopped(stack, gone):
        dora.get_by_role("button", name="Undo").first.click()
        expect(verdict).to_contain_text("can be scanned again")
    processes.wait_until(lambda: at_the_provider(stack, remote_id) == "valid", seconds=90, what="the provider to know")
    olive.goto(f"{stack.url}/o/demo/guests/{key}/")
    history = olive.locator("#guest-history")
    for step in ("Approved", "Checked in", "Check-in undone", "Taken back", MESSAGE, "Olive Brandt", "Dora Kovalchuk"):
        expect(history).to_contain_text(step)
