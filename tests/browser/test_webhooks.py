"""The webhook log while suppliers call: what is announced, filtered in place, and ticked by itself."""

import re
import uuid

import pytest
from playwright.sync_api import expect

from tests.support import browsers
from tests.support.stack import SUPPLIERS_SECRET
from tests.webhooks.live import Supplier


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/webhooks/")
        yield page


def test_announces_what_comes_and_moves_nothing(page, stack):
    first = page.locator("tbody[data-row]").first
    before = first.get_attribute("id")
    reference = f"N-{uuid.uuid4().hex[:6]}"
    Supplier(stack.url, secret=SUPPLIERS_SECRET).sends(b'{"reference": "%s"}' % reference.encode())
    expect(page.locator("#delivery-news .news")).to_have_text("1 new, show it")
    assert first.get_attribute("id") == before
    page.locator("#delivery-news .news").click()
    expect(page.locator("tbody[data-row]").first).to_contain_text(reference)


def test_filters_in_place_and_keeps_the_focus_in_the_search(page):
    page.locator("#delivery-chips summary", has_text="Outcome").click()
    page.locator("#delivery-chips").get_by_role("link", name="Stored only").click()
    expect(page).to_have_url(re.compile(r"\?outcome=stored_only"))
    expect(page.locator("#deliveries tbody[data-row] .c-st .st").first).to_have_text("Stored only")
    page.keyboard.press("/")
    page.keyboard.type("zzz")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    expect(page).to_have_url(re.compile("q=zzz"))
    expect(page.locator("#delivery-q")).to_be_focused()
    page.go_back()
    expect(page.locator("#deliveries tbody[data-row]").first).to_be_visible()


def test_a_bar_leads_into_its_time(page):
    page.locator(".hist .hit").last.click()
    expect(page).to_have_url(re.compile("since=.*until="))
    expect(page.locator("#deliveries tbody[data-row]").first).to_be_visible()


def test_shows_a_body_one_way_or_another_in_place(page, stack):
    page.goto(f"{stack.url}/o/demo/webhooks/?event=order.placed")
    page.locator("#deliveries .c-name a", has_text="order.placed").first.click()
    body = page.locator("#delivery-body")
    expect(body.locator(".l.read")).to_contain_text("read as the order")
    body.get_by_role("link", name="Hex").click()
    expect(body.locator("pre")).to_contain_text("000000  7b 22")
    expect(page).to_have_url(re.compile(r"/deliveries/\d+/$"))


def test_a_new_supplier_ticks_by_itself(page, stack):
    key = f"new-{uuid.uuid4().hex[:6]}"
    page.goto(f"{stack.url}/o/demo/webhooks/suppliers/new/")
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_role("button", name="Add supplier").click()
    secret = page.locator("#secret").input_value()
    page.get_by_role("link", name="I have it").click()
    done = page.locator("#checklist li.ok")
    expect(done).to_have_count(0)
    Supplier(stack.url, key, secret="wrong").sends(b"{}")
    expect(done).to_have_count(1)
    Supplier(stack.url, key, secret=secret).sends(b'{"reference": "R-1"}')
    expect(done).to_have_count(3)


def test_works_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/webhooks/")
        page.get_by_label("Search deliveries").fill("R-1")
        page.keyboard.press("Enter")
        expect(page.get_by_text("was taken for: reference")).to_be_visible()
        page.locator("#deliveries .c-name a").first.click()
        page.get_by_role("link", name="Raw").click()
        expect(page.locator("#delivery-body pre")).to_contain_text("R-1")
