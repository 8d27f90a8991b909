"""The calendar by keys, its address in a calendar program's hands, and the health page."""

import urllib.error
import urllib.request
from datetime import UTC, date, datetime, timedelta

import icalendar
import pytest
from playwright.sync_api import expect

from tests.support import browsers

DAY = timedelta(days=1)


@pytest.fixture
def page(stack, browser, complaints):
    clipboard = ["clipboard-read", "clipboard-write"]
    with browsers.visitor(browser, complaints=complaints, timezone_id="UTC", permissions=clipboard) as page:
        browsers.sign_in(page, stack.url)
        yield page


def focused(page):
    return page.evaluate("document.activeElement.dataset.day || ''")


def test_goes_through_the_days_by_keys(stack, page):
    page.goto(f"{stack.url}/o/demo/events/calendar/?month=2026-03")
    page.keyboard.press("t")
    today = page.locator("[aria-current=date] [data-day]")
    expect(today).to_be_focused()
    assert date.fromisoformat(focused(page)) in (datetime.now(UTC).date(), datetime.now(UTC).date() - DAY)

    page.goto(f"{stack.url}/o/demo/events/calendar/?month=2026-03#day-2026-03-17")
    assert focused(page) == "2026-03-17"
    for key, day in (
        ("ArrowRight", "2026-03-18"),
        ("ArrowDown", "2026-03-25"),
        ("ArrowLeft", "2026-03-24"),
        ("Home", "2026-03-23"),
        ("End", "2026-03-29"),
        ("ArrowUp", "2026-03-22"),
    ):
        page.keyboard.press(key)
        assert focused(page) == day, key
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**/?month=2026-04#day-2026-04-05")
    expect(page.locator("#day-2026-04-05")).to_be_focused()
    page.keyboard.press("PageUp")
    page.wait_for_url("**/?month=2026-03#day-2026-03-05")
    expect(page.locator("#day-2026-03-05")).to_be_focused()
    page.goto(f"{stack.url}/o/demo/events/calendar/?month=2026-03#day-2026-03-31")
    page.keyboard.press("PageUp")
    page.wait_for_url("**/?month=2026-02#day-2026-02-31")
    expect(page.locator("#day-2026-02-28")).to_be_focused()
    page.goto(f"{stack.url}/o/demo/events/calendar/?month=2026-03#day-2026-03-05")
    page.keyboard.press("Enter")
    page.wait_for_url("**/o/demo/events/?day=2026-03-05")
    expect(page.get_by_role("link", name="Show all days")).to_be_visible()


def test_turns_by_the_usual_keys_and_weeks_likewise(stack, page):
    page.goto(f"{stack.url}/o/demo/events/calendar/?week=2026-W53")
    expect(page.get_by_role("heading", level=1)).to_have_text("28 December 2026 – 3 January 2027")
    page.keyboard.press("]")
    expect(page.get_by_role("heading", level=1)).to_have_text("4–10 January 2027")
    page.keyboard.press("[")
    expect(page.get_by_role("heading", level=1)).to_have_text("28 December 2026 – 3 January 2027")
    page.get_by_role("link", name="Month", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("December 2026")


def test_is_an_agenda_on_a_phone(stack, page):
    page.set_viewport_size(browsers.PHONE)
    page.goto(f"{stack.url}/o/demo/events/calendar/")
    today = page.locator("[aria-current=date]")
    expect(today).to_be_visible()
    expect(page.locator(".cal-cell.is-empty:not([aria-current])").first).to_be_hidden()
    small = "links => links.filter(a => a.getClientRects().length && a.getBoundingClientRect().height < 44).length"
    assert page.locator(".cal-day, .cal-nav a, .ways a, .cal-more a").evaluate_all(small) == 0


def test_works_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/events/calendar/?month=2026-12")
        page.get_by_role("link", name="Next month").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("January 2027")
        page.goto(f"{stack.url}/o/demo/events/calendar/feed/")
        page.get_by_role("button", name="Make").click()
        assert fetch(page.get_by_label("Address of the calendar").input_value())
        page.get_by_role("button", name="Switch it off").click()
        expect(page.get_by_text("You have no address yet.")).to_be_visible()


def test_gives_an_address_to_copy_that_calendar_programs_read(stack, page):
    page.goto(f"{stack.url}/o/demo/events/calendar/")
    page.get_by_role("link", name="Subscribe").click()
    page.get_by_role("button", name="Make the address").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("[data-copy].is-copied")).to_be_visible()
    address = page.evaluate("navigator.clipboard.readText()")
    assert browsers.violations(page) == []

    events = icalendar.Calendar.from_ical(fetch(address)).walk("VEVENT")
    told = stack.ask("SELECT count(*) FROM events_event WHERE status NOT IN ('draft', 'deleted') AND gone_at IS NULL")
    assert len(events) == told > 0

    page.get_by_role("button", name="Switch it off").click()
    expect(page.get_by_text("You have no address yet.")).to_be_visible()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(address)
    log = (stack.data / "web.log").read_text()
    assert address.rpartition("/")[2].removesuffix(".ics") not in log
    assert "/calendar/foy_cal_…" in log


def test_says_how_everything_stands(stack, page):
    page.goto(f"{stack.url}/o/demo/settings/members/")
    page.get_by_role("link", name="Health").click()
    lines = page.locator("[aria-labelledby=installation-head] li, [aria-labelledby=connections-head] li")
    read = page.locator("[aria-labelledby=lists-head] li")
    expect(lines.filter(has_text="Worker")).to_contain_text("1 worker reports.")
    expect(lines.filter(has_text="Event API")).to_contain_text("Working")
    expect(read.filter(has_text="Guests")).to_contain_text("lists, the oldest of them read")
    expect(page.get_by_role("heading", name="What /readyz says")).to_be_visible()


def fetch(address):
    with urllib.request.urlopen(address, timeout=10) as answer:  # noqa: S310  (our own loopback address)
        return answer.read()
