"""Guests who wait are decided on Overview: only their row changes, and an open page moves nothing under one's hand."""

import pytest
from playwright.sync_api import expect

from tests.support import browsers

ROWS = ".waiting li[data-row]"


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as visitor:
        browsers.sign_in(visitor, stack.url)
        visitor.goto(f"{stack.url}/o/demo/")
        yield visitor


def ids(page):
    return page.locator(ROWS).evaluate_all("(rows) => rows.map((row) => row.id)")


def the_page_asks(page, times=1):
    """It did so, and shows what it was told."""
    for _ in range(times):
        with page.expect_response(lambda answer: "/o/demo/?" in answer.url and answer.request.method == "GET"):
            pass


def test_decides_in_place_and_takes_it_back(page):
    before = ids(page)
    assert len(before) == 5
    row = page.locator(f"#{before[1]}")
    name = row.locator("a.name").inner_text()
    row.get_by_role("button", name="Approve").click()
    expect(row).to_contain_text("Approved, sends in")
    expect(page.locator("#toasts")).to_contain_text(f"{name} approved.")
    the_page_asks(page)
    assert ids(page) == before
    expect(row).to_contain_text("Approved, sends in")
    assert browsers.violations(page) == []
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(row.get_by_role("button", name="Approve")).to_be_visible()
    row.get_by_role("button", name="Reject").click()
    expect(row).to_contain_text("Rejected, sends in")
    row.get_by_role("button", name="Undo").click()
    expect(row.get_by_role("button", name="Reject")).to_be_visible()
    assert ids(page) == before


def test_keeps_the_row_until_all_are_decided(page):
    before = ids(page)
    row = page.locator(f"#{before[0]}")
    row.get_by_role("button", name="Approve").click()
    expect(row).to_contain_text("Going", timeout=30_000)
    the_page_asks(page, 2)
    assert ids(page) == before


def test_keeps_whether_guests_are_told(page):
    told = page.get_by_label("Tell guests by mail")
    was = told.is_checked()
    told.set_checked(not was)
    the_page_asks(page, 2)
    assert told.is_checked() is not was
    row = page.locator(f"#{ids(page)[2]}")
    row.get_by_role("button", name="Approve").click()
    expect(page.locator("#toasts")).to_contain_text("No mail is sent." if was else "A mail goes to the guest.")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(row.get_by_role("button", name="Approve")).to_be_visible()
    told.focus()
    page.keyboard.press("Enter")  # presses no button of the form around it
    the_page_asks(page)
    expect(page.get_by_text("Approved, sends in")).to_have_count(0)


def test_is_done_by_keys_about_the_row_under_the_cursor_only(page):
    page.keyboard.press("a")
    the_page_asks(page)
    expect(page.get_by_text("Approved, sends in")).to_have_count(0)
    row = page.locator(f"#{ids(page)[3]}")
    while "is-cursor" not in (row.get_attribute("class") or ""):
        page.keyboard.press("j")
    page.keyboard.press("r")
    expect(row).to_contain_text("Rejected, sends in")
    page.keyboard.press("z")
    expect(row.get_by_role("button", name="Reject")).to_be_visible()
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Reject").click()
    expect(dialog).to_be_hidden()
    expect(row).to_contain_text("Rejected, sends in")
    row.get_by_role("button", name="Undo").click()
    expect(row.get_by_role("button", name="Reject")).to_be_visible()


def test_works_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        row = page.locator(f"#{ids_without_scripts(page)[4]}")
        name, link = row.locator("a.name").inner_text(), row.locator("a.name").get_attribute("href")
        row.get_by_role("button", name="Approve").click()
        page.wait_for_url("**/o/demo/")
        expect(page.locator("#toasts")).to_contain_text(f"{name} approved.")
        page.goto(stack.url + link)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#guest-state")).to_contain_text("Pending")


def ids_without_scripts(page):
    return [row.get_attribute("id") for row in page.locator(ROWS).all()]


def test_fits_a_phone(page):
    page.set_viewport_size({"width": 320, "height": 800})
    row = page.locator(f"#{ids(page)[0]}")
    for button in ("Approve", "Reject"):
        box = row.get_by_role("button", name=button).bounding_box()
        assert box["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert browsers.violations(page) == []
