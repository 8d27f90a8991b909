"""An event from nothing: made with its classes, changed, copied, cancelled, deleted; the provider agrees each time."""

import sqlite3

import pytest
from playwright.sync_api import expect

from tests.support import browsers, processes


@pytest.fixture
def max_(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        browsers.sign_in(page, stack.url, "manager@demo.test")
        yield page


def at_the_provider(stack, what):
    with sqlite3.connect(f"file:{stack.data / 'servers.sqlite3'}?mode=ro", uri=True) as database:
        return database.execute(what).fetchall()


def fill(page, **fields):
    for label, value in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).fill(value)


def choose(page, what):
    page.locator(".head-actions summary").click()
    page.get_by_role("link", name=what, exact=True).click()


def test_an_event_from_nothing(stack, max_):
    page = max_
    page.goto(f"{stack.url}/o/demo/events/")
    page.get_by_role("link", name="New event").click()
    fill(page, Name="Launch of the Ark", Starts="2027-04-30T19:00", Ends="2027-04-30T23:00", Time_zone="berlin")
    fill(page, Starts="2027-05-01T19:00")
    page.get_by_label("Starts").blur()
    expect(page.get_by_label("Ends")).to_have_value("2027-05-01T23:00")  # it keeps its distance
    fill(page, Venue="Harbour Hall", Address="Pier 1", City="Hamburg", Capacity="120", Currency="EUR")
    page.get_by_role("button", name="Create and publish").click()
    expect(page.get_by_role("heading", name="Launch of the Ark", level=1)).to_be_visible()
    expect(page.get_by_text("Published", exact=True)).to_be_visible()
    expect(page.get_by_text("Sending…")).to_have_count(0)
    expect(page.get_by_text("General Admission")).to_be_visible(timeout=20_000)
    said = "SELECT name, status, capacity, venue ->> 'city' FROM event_api_event WHERE name LIKE '%of the Ark'"
    assert at_the_provider(stack, said) == [("Launch of the Ark", "active", 120, "Hamburg")]

    page.get_by_role("link", name="Ticket classes", exact=True).first.click()
    page.get_by_role("link", name="New class").click()
    fill(page, Name="Early bird", Price="20", Tickets_in_all="50", Sales_end="2027-04-30T23:59")
    page.get_by_role("button", name="Create").click()
    row = page.get_by_role("row").filter(has_text="Early bird")
    expect(row).to_contain_text("€20")
    expect(page.get_by_text("Sending…")).to_have_count(0, timeout=20_000)
    assert ("Early bird", 50) in at_the_provider(stack, "SELECT name, quantity_total FROM event_api_ticketclass")

    row.locator("summary").click()
    row.get_by_role("link", name="Edit").click()
    fill(page, Tickets_in_all="60")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("row").filter(has_text="Early bird")).to_contain_text("of 60")

    page.get_by_role("link", name="Launch of the Ark").click()
    choose(page, "Duplicate")
    fill(page, Name="Second voyage of the Ark", First_day="2027-06-01")
    page.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_text("Draft").first).to_be_visible()
    expect(page.get_by_text("Sending…")).to_have_count(0, timeout=30_000)
    classes = """SELECT c.name, c.quantity_total
      FROM event_api_ticketclass c JOIN event_api_event e ON e.id = c.event_id
      WHERE e.name LIKE 'Second%' AND c.status = 'active' ORDER BY c.name"""
    both = [("Early bird", 60), ("General Admission", 0)]
    processes.wait_until(lambda: at_the_provider(stack, classes) == both, what="the copied classes")

    choose(page, "Delete")
    page.get_by_role("button", name="Delete the event").click()
    expect(page.get_by_role("heading", name="Events", level=1)).to_be_visible()
    expect(page.locator("#toasts")).to_contain_text("“Second voyage of the Ark” is deleted.")
    said = "SELECT status FROM event_api_event WHERE name LIKE 'Second%'"
    processes.wait_until(lambda: at_the_provider(stack, said) == [("deleted",)], what="the event to go")


def test_a_refusal_stands_at_its_field(stack, max_):
    """The provider refuses fewer places than are taken."""
    page = max_
    page.goto(f"{stack.url}/o/demo/events/?tab=live")
    page.locator("table a.name").first.click()
    page.get_by_role("link", name="Edit", exact=True).click()
    fill(page, Capacity="1")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The provider refused this.")).to_be_visible(timeout=20_000)
    page.get_by_role("link", name="Edit and send again").click()
    expect(page.get_by_label("Capacity")).to_have_value("1")
    expect(page.locator(".field-bad")).to_contain_text("seats are taken")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("button", name="Set aside").click()
    expect(page.get_by_text("The provider refused this.")).to_have_count(0)
