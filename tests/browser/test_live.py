"""What another person does is on an open page within two seconds, in its place; what stands there is not sent again."""

from uuid import UUID

import pytest
from playwright.sync_api import expect

from tests.browser.addresses import AN_EVENT
from tests.support import browsers

SOON = 2_000
CODES = """SELECT barcode FROM attendees_attendee WHERE event_id = '{event}' AND status = 'valid'
  AND outbox = '{{}}' AND barcode != '' ORDER BY id LIMIT 1 OFFSET {at}"""
KEEP = "(element) => { element.kept = true; }"
IS_KEPT = "(element) => element.kept === true"


@pytest.fixture
def event(stack):
    return UUID(stack.ask(AN_EVENT))


@pytest.fixture
def desk(stack, browser, event):
    """Dora's."""
    with browsers.visitor(browser) as page:
        browsers.sign_in(page, stack.url, "door@demo.test")
        page.goto(f"{stack.url}/o/demo/door/{event}/")
        yield page


@pytest.fixture
def olive(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        browsers.sign_in(page, stack.url)
        yield page


def inside(page):
    return int(page.locator("#inside").inner_text().split()[0].replace(",", ""))


def told(page, answers_with, part):
    """Waits for an answer to what the page asks by itself."""
    return page.expect_response(lambda answer: part in answer.url and answer.status == answers_with)


def test_shows_a_check_in_while_it_happens(stack, olive, desk, event):
    olive.goto(f"{stack.url}/o/demo/events/{event}/today/")
    before = inside(olive)
    olive.get_by_text("The same as a table").click()
    link = olive.get_by_role("link", name="All who are in")
    link.focus()
    olive.locator("#inside").evaluate(KEEP)
    scrolled = olive.evaluate("(scrollTo(0, 200), scrollY)")
    assert scrolled > 0
    code = stack.ask(CODES.format(event=event.hex, at=0))
    desk.get_by_label("Ticket code or name").fill(code)
    desk.keyboard.press("Enter")
    expect(desk.locator("#verdict")).to_contain_text("Welcome")
    expect(olive.locator("#inside")).to_contain_text(f"{before + 1:,} of", timeout=SOON)
    expect(link).to_be_focused()
    expect(olive.locator(".as-table")).to_have_attribute("open", "")
    assert olive.locator("#inside").evaluate(IS_KEPT)
    assert olive.evaluate("scrollY") == scrolled
    assert browsers.violations(olive) == []


@pytest.mark.parametrize("path", ["", "events/{event}/today/"])
def test_is_not_sent_what_stands_already(stack, olive, event, path):
    address = f"{stack.url}/o/demo/{path.format(event=event)}"
    olive.goto(address)
    with told(olive, 304, address):
        pass
    expect(olive.locator("#overview, #today")).to_contain_text("of")


def test_shows_what_another_decides_about_a_row(stack, browser, olive, event):
    address = f"{stack.url}/o/demo/events/{event}/guests/?status=pending_approval"
    olive.goto(address)
    rows = olive.locator("tbody[data-row]")
    theirs, mine = rows.nth(2), rows.nth(4)
    guest = theirs.get_attribute("id").removeprefix("attendee-")
    mine.get_by_role("checkbox").check()
    olive.locator("#guest-q").focus()
    scrolled = olive.evaluate("(scrollTo(0, 120), scrollY)")
    assert scrolled > 0
    olive.locator(f"#attendee-{guest}").evaluate(KEEP)
    stands = theirs.bounding_box()
    with browsers.visitor(browser) as max_:
        browsers.sign_in(max_, stack.url, "manager@demo.test")
        max_.goto(f"{stack.url}/o/demo/guests/{guest}/")
        max_.get_by_role("button", name="Approve").click()
        expect(max_.locator("#guest-state")).to_contain_text("Approved")
        row = olive.locator(f"#attendee-{guest}")
        expect(row).to_contain_text("Approved", timeout=SOON)
        assert row.evaluate(IS_KEPT)
        assert row.bounding_box()["y"] == stands["y"]
        assert olive.evaluate("scrollY") == scrolled
        expect(mine.get_by_role("checkbox")).to_be_checked()
        expect(olive.locator("#guest-q")).to_be_focused()
        max_.keyboard.press("z")
        expect(row.get_by_role("button", name="Approve")).to_be_visible(timeout=SOON)


def test_says_the_same_without_scripts(stack, browser, event):
    with browsers.visitor(browser, java_script_enabled=False, viewport=browsers.PHONE) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/events/{event}/today/")
        assert inside(page) > 0
        page.get_by_text("The same as a table").click()
        expect(page.locator(".as-table tbody tr").first).to_be_visible()
        page.get_by_role("button", name="Refresh").click()
        assert page.url.endswith("/today/")


def test_a_list_without_a_row_asks_too(stack, olive):
    with olive.expect_response(lambda answer: "/changes/?" in answer.url) as asked:
        olive.goto(f"{stack.url}/o/demo/guests/?q=zzzzzz")
    assert asked.value.ok
    assert "row=" not in asked.value.url
