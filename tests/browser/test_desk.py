"""The desk in a browser: a scanner types wherever the focus is, verdicts are seen and heard, nothing is asked twice."""

import re
from uuid import UUID

import pytest
from playwright.sync_api import expect

from tests.support import browsers

GOING = """SELECT id, name, barcode FROM attendees_attendee WHERE event_id = '{event}' AND status = 'valid'
  AND outbox = '{{}}' AND barcode != '' ORDER BY id DESC"""
COUNT_NOTES = """window.notes = 0; const make = BaseAudioContext.prototype.createOscillator;
  BaseAudioContext.prototype.createOscillator = function () { window.notes += 1; return make.call(this); };"""


@pytest.fixture
def desk(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        page.add_init_script(COUNT_NOTES)
        browsers.sign_in(page, stack.url, "door@demo.test")
        page.goto(f"{stack.url}/o/demo/door/")
        expect(page.get_by_label("Ticket code or name")).to_be_focused()
        yield page


@pytest.fixture
def guest(stack, desk):
    """Somebody of today's event who is not inside yet: id, name, code."""
    event = UUID(re.search(r"/door/([0-9a-f-]+)/", desk.url)[1])
    key, name, code = stack.rows(GOING.format(event=event.hex))[0]
    return UUID(key), name, code


def scan(page, code):
    """As a scanner does: quickly, into whatever has the focus, ending with Enter."""
    page.keyboard.type(code)
    page.keyboard.press("Enter")


def inside(stack, guest):
    asked = "SELECT count(*) FROM attendees_admission WHERE attendee_id = '{}' AND undone_at IS NULL"
    return stack.ask(asked.format(guest[0].hex))


def looks(page):
    verdict = page.locator("#verdict .verdict")
    return (
        verdict.get_attribute("data-tone"),
        verdict.locator("svg.shape").inner_html(),
        verdict.evaluate("(verdict) => getComputedStyle(verdict).backgroundColor"),
    )


def test_takes_what_a_scanner_types_wherever_the_focus_is(desk, stack, guest):
    desk.get_by_role("button", name="Sound").focus()
    scan(desk, guest[2])
    expect(desk.locator("#verdict")).to_contain_text(f"Welcome, {guest[1]}")
    expect(desk.locator("#last li").first).to_contain_text(guest[1])
    expect(desk.get_by_label("Ticket code or name")).to_have_value("")
    assert browsers.violations(desk) == []
    assert inside(stack, guest) == 1


def test_says_it_by_word_shape_colour_and_sound(desk, guest):
    scan(desk, guest[2])
    expect(desk.locator("#verdict")).to_contain_text("Welcome")
    admitted, heard = looks(desk), desk.evaluate("notes")
    scan(desk, "NOBODY-HAS-THIS-1")
    expect(desk.locator("#verdict")).to_contain_text("Code not recognised")
    unknown = looks(desk)
    assert all(one != other for one, other in zip(admitted, unknown, strict=True))
    assert 0 < heard < desk.evaluate("notes")
    desk.get_by_role("button", name="Sound").click()
    heard = desk.evaluate("notes")
    scan(desk, "NOBODY-HAS-THIS-2")
    expect(desk.locator("#last li").first).to_contain_text("IS-2")
    assert desk.evaluate("notes") == heard


def test_keeps_a_scan_that_was_not_answered_and_asks_again(desk, stack, guest, complaints):
    desk.route("**/scan/", lambda route: route.abort())
    scan(desk, guest[2])
    expect(desk.get_by_role("alert")).to_contain_text("The scan is kept and asked again")
    desk.reload()  # what was not answered outlives the page
    desk.unroute("**/scan/")
    expect(desk.locator("#verdict")).to_contain_text(f"Welcome, {guest[1]}")
    assert inside(stack, guest) == 1
    complaints[:] = [one for one in complaints if "ERR_FAILED" not in one]  # the browser's own, of what was cut


def test_asks_once_whoever_presses_twice_goes_back_and_reloads(desk, stack, guest):
    scan(desk, guest[2])
    scan(desk, guest[2])
    expect(desk.locator("#verdict")).to_contain_text("Welcome")
    desk.goto(f"{stack.url}/o/demo/door/?choose")
    desk.go_back()
    desk.reload()
    expect(desk.locator("#last li").first).to_contain_text(guest[1])
    assert stack.ask(f"SELECT count(*) FROM attendees_scan WHERE attendee_id = '{guest[0].hex}'") == 1  # noqa: S608
    assert inside(stack, guest) == 1


def test_finds_a_guest_by_name(desk, guest):
    desk.get_by_label("Ticket code or name").press_sequentially(guest[1], delay=60)
    desk.keyboard.press("Enter")
    desk.locator(f'#found form:has([value="{guest[0]}"]) button').click()
    expect(desk.locator("#verdict")).to_contain_text(f"Welcome, {guest[1]}")


def test_works_without_scripts(stack, browser, guest):
    with browsers.visitor(browser, java_script_enabled=False, viewport=browsers.PHONE) as page:
        browsers.sign_in(page, stack.url, "door@demo.test")
        page.goto(f"{stack.url}/o/demo/door/")
        page.get_by_label("Ticket code or name").fill(guest[2])
        page.get_by_role("button", name="Check in").first.click()
        expect(page.locator("#verdict")).to_contain_text(f"Welcome, {guest[1]}")
        page.locator("#verdict").get_by_role("button", name="Undo").click()
        expect(page.locator("#verdict")).to_contain_text("can be scanned again")


def test_looks_for_a_name_while_it_is_written(desk, guest):
    box = desk.get_by_label("Ticket code or name")
    name = re.sub(r"\W.*", "", guest[1])
    box.press_sequentially(name, delay=60)
    found = desk.get_by_role("list", name="Guests found")
    expect(found).to_contain_text(name)
    expect(found.get_by_role("button").first).to_be_in_viewport()
    expect(box).to_have_value(name)
    box.press("Enter")
    expect(desk.locator("#verdict")).to_contain_text(f"“{name}”")
    expect(box).to_have_value(name)  # to be written further, or over
    scan(desk, "WXYZWXYZWXYZ")
    expect(desk.locator("#verdict")).to_contain_text("Code not recognised")
    expect(box).to_have_value("")
    expect(found).to_have_count(0)
