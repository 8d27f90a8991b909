"""From a filter to a file: what is shown is kept under a name, found again, and taken along, nothing more or less."""

import csv
import re

import openpyxl
import pytest
from playwright.sync_api import expect

from tests.browser import addresses
from tests.support import browsers

ROWS = "#guest-list tbody[data-row]"
CELLS = """(rows) => rows.map((row) => [
  row.querySelector("a.name").textContent.trim(),
  ...[...row.querySelectorAll("td.c-plain, td.c-st")].map((cell) => cell.innerText.trim()),
])"""
HEAD = ["Guest", "Company", "Code", "Status"]


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as visitor:
        browsers.sign_in(visitor, stack.url)
        visitor.goto(addresses.of(stack, "guests"))
        yield visitor


def choose_columns(page, *wanted):
    menu = page.locator("#guest-chips details").filter(has_text="Columns")
    menu.locator("summary").click()
    for box in menu.locator("label").all():
        if box.inner_text().strip() != "Guest":
            box.locator("input").set_checked(box.inner_text().strip() in wanted)
    menu.get_by_role("button", name="Show").click()


def save_as(page, name):
    menu = page.locator("#guest-chips details").filter(has_text="Save view")
    menu.locator("summary").click()
    menu.get_by_label("Name").fill(name)
    menu.get_by_role("button", name="Save", exact=True).click()


def on_all_pages(page):
    """Of each page in turn, as a person reads them."""
    found = []
    while True:
        found += page.locator(ROWS).evaluate_all(CELLS)
        onward = page.get_by_role("link", name="Next")
        if not onward.count():
            return found
        first = page.locator(ROWS).first.get_attribute("id")
        onward.click()
        expect(page.locator(f"#{first}")).to_have_count(0)


def export(page, kind):
    page.locator("#list-export summary").click()
    with page.expect_download() as download:
        page.locator("#list-export").get_by_role("link", name=kind).click()
    return download.value


def test_takes_along_exactly_what_it_shows(page, stack, tmp_path):
    page.locator("#guest-tabs a").filter(has_text="Checked in").click()
    expect(page).to_have_url(re.compile("status=checked_in"))
    page.get_by_role("link", name="Guest", exact=True).click()
    expect(page).to_have_url(re.compile("sort=name"))
    choose_columns(page, "Company", "Code", "Status")
    expect(page.locator("#guest-list th").filter(has_text="Code")).to_be_visible()
    expect(page).to_have_url(re.compile("columns=code"))
    save_as(page, "Who came, with codes")
    expect(page.locator("#toasts")).to_contain_text("Saved as “Who came, with codes”.")

    page.goto(addresses.of(stack, "guests"))
    page.locator("#list-views").get_by_role("link", name="Who came, with codes").click()
    expect(page.locator("#list-views summary")).to_contain_text("Who came, with codes")
    expect(page.locator("#guest-list th").filter(has_text="Company")).to_be_visible()
    files = {kind: export(page, kind) for kind in ("CSV", "Excel")}
    shown = on_all_pages(page)
    assert len(shown) > 100
    assert {row[3] for row in shown} == {"Checked in"}

    name = files["CSV"].suggested_filename
    assert re.fullmatch(r".+ guests \d{4}-\d\d-\d\d\.csv", name), name
    files["CSV"].save_as(tmp_path / "guests.csv")
    with (tmp_path / "guests.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [[plain(cell) for cell in row] for row in csv.reader(file)] == [HEAD, *shown]
    files["Excel"].save_as(tmp_path / "guests.xlsx")
    cells = openpyxl.load_workbook(tmp_path / "guests.xlsx").active.iter_rows(values_only=True)
    assert [[" ".join((cell or "").split()) for cell in row] for row in cells] == [HEAD, *shown]


def plain(cell):
    """Without the apostrophes that keep a spreadsheet from computing it, and its spaces as a page shows them."""
    return " ".join(re.sub(r"(^|;\s*)'(?=\s*[=+\-@])", r"\1", cell).split())


def test_keeps_a_view_and_opens_with_it_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/guests/?status=valid")
        choose_columns(page, "Code")
        expect(page).to_have_url(re.compile("status=valid&.*columns=code"))
        menu = page.locator("#guest-chips details").filter(has_text="Save view")
        menu.locator("summary").click()
        menu.get_by_label("Open this list with it").check()
        menu.get_by_label("Name").fill("Codes")
        menu.get_by_role("button", name="Save", exact=True).click()
        page.goto(f"{stack.url}/o/demo/guests/")
        expect(page).to_have_url(re.compile(r"\?status=valid&columns=name&columns=code$"))
        page.get_by_role("link", name="Clear").click()
        expect(page).to_have_url(re.compile(r"\?columns=name&columns=code$"))
        page.locator("#guest-tabs a").first.click()
        page.goto(f"{stack.url}/o/demo/guests/")
        page.locator("#list-views summary").click()
        page.get_by_role("link", name="Rename, share or delete").click()
        page.get_by_role("button", name="Delete this view").click()
        expect(page.locator("#toasts")).to_contain_text("“Codes” is deleted.")
        page.goto(f"{stack.url}/o/demo/guests/")
        assert page.url == f"{stack.url}/o/demo/guests/"


def test_a_row_keeps_its_columns_when_it_changes(page, stack):
    page.goto(f"{addresses.of(stack, 'guests')}?status=pending_approval&columns=company&columns=code&columns=status")
    row = page.locator(ROWS).nth(2)
    row = page.locator(f"#{row.get_attribute('id')}")
    before = row.locator("td").count()
    row.get_by_role("button", name="Approve").click()
    expect(row).to_contain_text("Approved")
    assert row.locator("td").count() == before
    row.get_by_role("button", name="Undo").click()
    expect(row).to_contain_text("Pending")


def test_is_printed_without_the_frame_and_with_its_head_on_every_sheet(page, stack):
    page.locator("#list-export summary").click()
    page.locator("#list-export").get_by_role("link", name="Print").click()
    expect(page.get_by_role("button", name="Print")).to_be_visible()
    names = page.locator(".paper-table td:nth-child(2)").all_inner_texts()
    assert len(names) > 100
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    assert (
        page.locator(".paper-table thead").evaluate("(head) => getComputedStyle(head).display") == "table-header-group"
    )
    dark = page.locator(".paper-table td").first.evaluate("(cell) => getComputedStyle(cell).color")
    page.emulate_media(media="print", color_scheme="light")
    assert page.locator(".paper-table td").first.evaluate("(cell) => getComputedStyle(cell).color") == dark
