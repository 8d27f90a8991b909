"""An alert that the worker has opened: found on Overview, looked after, and taken back; with scripts and without."""

import re

import pytest
from playwright.sync_api import expect

from tests.support import browsers


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        browsers.sign_in(page, stack.url)
        yield page


def take_back(page):
    page.get_by_role("link", name="Many refused").click()
    page.get_by_role("button", name="Open again").click()
    expect(page.locator(".said-top .st")).to_have_text("Open")


def test_leads_from_overview_to_what_it_is_about(page, stack):
    page.goto(f"{stack.url}/o/demo/")
    page.get_by_role("link", name="Look: 1 alert is open").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("acme: Many refused")
    page.get_by_role("link", name="What was refused").click()
    expect(page).to_have_url(re.compile("/rejected/.*vendor=acme"))


def test_acknowledges_what_is_selected(page, stack):
    page.goto(f"{stack.url}/o/demo/webhooks/alerts/")
    page.get_by_label("Select acme: Many refused").check()
    toolbar = page.get_by_role("toolbar", name="Selection")
    expect(toolbar.locator("[data-count]")).to_have_text("1")
    toolbar.get_by_role("button", name="Acknowledge").click()
    expect(page.locator(".toast-x")).to_contain_text("1 alert acknowledged.")
    expect(page.locator("tbody .st")).to_have_text("Acknowledged")
    take_back(page)


def test_works_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/webhooks/alerts/")
        page.get_by_label("Select acme: Many refused").check()
        page.get_by_role("toolbar", name="Selection").get_by_role("button", name="Acknowledge").click()
        expect(page.locator("tbody .st")).to_have_text("Acknowledged")
        take_back(page)


def test_an_address_is_added_and_tested(page, stack):
    page.goto(f"{stack.url}/o/demo/webhooks/alerts/settings/")
    page.get_by_label("Address", exact=True).fill("http://127.0.0.1:9/alerts")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_label("Secret", exact=True)).to_have_value(re.compile("^whsec_"))
    page.get_by_role("button", name="Send a test").click()
    expect(page.locator("#hook-log")).to_contain_text("1 try", timeout=20_000)
    page.locator("#hook-log summary").first.click()
    expect(page.locator("#hook-log li").first).to_contain_text("It cannot be reached")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("button", name="Add", exact=True)).to_be_visible()
