"""A message that is chosen takes the place of what a person typed, and nothing that was typed is lost by it."""

import re

import pytest
from playwright.sync_api import expect

from tests.support import browsers

WELCOME, SORRY = "Welcome, {first_name}! Doors open at seven.", "Sorry, {first_name}: we are full."
MESSAGES = {"Welcome": WELCOME, "Full": SORRY}
CHOICE = "Begin with a message of yours"


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as visitor:
        browsers.sign_in(visitor, stack.url)
        visitor.goto(f"{stack.url}/o/demo/settings/messages/")
        for name, text in MESSAGES.items():
            if not visitor.get_by_role("link", name=name, exact=True).count():
                visitor.goto(f"{stack.url}/o/demo/settings/messages/new/")
                visitor.get_by_label("Name").fill(name)
                visitor.get_by_label("Message").fill(text)
                visitor.get_by_role("button", name="Keep").click()
                visitor.wait_for_url("**/settings/messages/")
        visitor.goto(f"{stack.url}/o/demo/approvals/")
        yield visitor


@pytest.fixture
def dialog(page):
    page.locator("#guest-card").get_by_role("link", name="With a message").click()
    opened = page.get_by_role("dialog")
    expect(text(opened)).to_be_focused()
    return opened


def text(dialog):
    return dialog.get_by_role("textbox", name="Message")


def choose(dialog, name):
    dialog.get_by_label(CHOICE).select_option(label=name)
    expect(text(dialog)).to_have_value(MESSAGES[name])


def put_back(dialog):
    return dialog.get_by_role("button", name="Put it back")


def test_puts_back_what_was_typed(page, dialog):
    text(dialog).fill("Dear Ada,\nbring the drawings.")
    choose(dialog, "Welcome")
    expect(dialog.get_by_role("status").filter(has_text="was replaced")).to_be_visible()
    assert browsers.violations(page) == []
    put_back(dialog).click()
    expect(text(dialog)).to_have_value("Dear Ada,\nbring the drawings.")
    expect(text(dialog)).to_be_focused()
    expect(dialog.get_by_label(CHOICE)).to_have_value("")
    expect(put_back(dialog)).to_be_hidden()
    choose(dialog, "Welcome")  # the same one again
    expect(put_back(dialog)).to_be_visible()


def test_says_nothing_where_nothing_was_typed(dialog):
    choose(dialog, "Welcome")
    expect(put_back(dialog)).to_be_hidden()
    choose(dialog, "Full")
    expect(put_back(dialog)).to_be_hidden()


def test_loses_none_of_several_texts(dialog):
    text(dialog).fill("First")
    choose(dialog, "Welcome")
    text(dialog).fill("Welcome, and changed")
    choose(dialog, "Full")
    text(dialog).fill("Full, and changed")
    seen = set()
    for _ in range(4):
        put_back(dialog).click()
        seen.add(text(dialog).input_value())
    assert seen == {"First", "Welcome, and changed", "Full, and changed"}


def test_is_of_one_guest_and_ends_when_it_was_sent(page, dialog):
    first = page.locator("#guest-card").get_attribute("data-of")
    text(dialog).fill("For this guest alone")
    choose(dialog, "Welcome")
    dialog.get_by_role("button", name="Approve").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#guest-card")).not_to_have_attribute("data-of", first)
    page.locator("#guest-card").get_by_role("link", name="With a message").click()
    expect(text(dialog)).to_have_value("")
    expect(put_back(dialog)).to_be_hidden()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("z")
    expect(page.locator(f"#{first}")).to_contain_text("Pending")


def test_holds_for_many_and_on_the_guests_own_page(page):
    page.locator("#guest-list tbody input[name=id]").first.check()
    page.get_by_role("button", name="More…").click()
    many = page.locator("#bulk-more")
    text(many).fill("To all of you")
    choose(many, "Full")
    put_back(many).click()
    expect(text(many)).to_have_value("To all of you")
    many.get_by_role("button", name="Close").click()
    page.locator("#guest-card h2 a").click()
    page.wait_for_url(re.compile(r"/guests/[0-9a-f-]+/$"))
    state = page.locator("#guest-state")
    state.locator("summary", has_text="With a message").click()
    text(state).fill("To you alone")
    choose(state, "Full")
    put_back(state).click()
    expect(text(state)).to_have_value("To you alone")
