"""A file of guests is dropped on the page, tried out and imported; its guests are in the list and at the provider."""

import re
import sqlite3

import pytest
from playwright.sync_api import expect

from tests.browser import addresses
from tests.support import browsers, processes

DROP = """([name, text]) => {
  const held = new DataTransfer();
  held.items.add(new File([text], name, { type: "text/csv" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    const said = { dataTransfer: held, bubbles: true, cancelable: true };
    document.querySelector("main").dispatchEvent(new DragEvent(kind, said));
  }
}"""
NARROW = {"width": 320, "height": 800}


@pytest.fixture
def olive(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        browsers.sign_in(page, stack.url)
        yield page


def at_the_provider(stack, pattern):
    with sqlite3.connect(f"file:{stack.data / 'servers.sqlite3'}?mode=ro", uri=True) as database:
        found = "SELECT first_name, last_name, status FROM event_api_attendee WHERE email LIKE ? ORDER BY email"
        return database.execute(found, [pattern]).fetchall()


def listed(stack, pattern):
    known = f"SELECT count(*) FROM attendees_attendee WHERE email LIKE '{pattern}' AND remote_id IS NOT NULL"  # noqa: S608
    return stack.ask(known)


def sees_nothing_wrong(page):
    assert browsers.violations(page) == []
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert browsers.violations(page) == []
    page.set_viewport_size(browsers.WIDE)


def test_drops_a_file_and_finds_its_guests(stack, olive):
    olive.goto(addresses.of(stack, "guests"))
    olive.get_by_role("link", name="Import", exact=True).click()
    olive.wait_for_url("**/import/")  # and for its scripts, which take the drop
    file = (
        "Vorname;Nachname;E-Mail;Tisch\nŁucja;Wójcik;lucja@dropped.test;7\nOtto;Ohne;;8\nZoë;Núñez;zoe@dropped.test;9\n"
    )
    olive.evaluate(DROP, ["Gäste.csv", file])

    expect(olive.get_by_role("heading", level=1, name="What is in which column?")).to_be_visible()
    expect(olive.get_by_label("Vorname")).to_have_value("first_name")
    expect(olive.get_by_label("E-Mail", exact=True)).to_have_value("email")
    expect(olive.get_by_label("Tisch")).to_have_value("")
    sees_nothing_wrong(olive)
    olive.get_by_role("button", name="Try it out").click()

    expect(olive.get_by_role("heading", level=1, name="2 guests would be added")).to_be_visible()
    expect(olive.get_by_role("row").filter(has_text="Otto Ohne")).to_contain_text("There is no e-mail address")
    sees_nothing_wrong(olive)
    olive.get_by_role("link", name="No e-mail 1").click()
    expect(olive.locator("#import-rows tbody tr")).to_have_count(1)
    assert at_the_provider(stack, "%@dropped.test") == []
    olive.get_by_role("button", name="Import 2 guests").click()

    state = olive.locator("#batch-state")
    expect(state).to_contain_text("sends in")
    expect(state).to_contain_text("2 done", timeout=60_000)
    assert at_the_provider(stack, "%@dropped.test") == [("Łucja", "Wójcik", "valid"), ("Zoë", "Núñez", "valid")]
    assert listed(stack, "%@dropped.test") == 2
    olive.goto(addresses.of(stack, "guests"))
    olive.get_by_role("searchbox", name="Search guests").press_sequentially("dropped")
    rows = olive.locator("#guest-list tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="Łucja Wójcik")).to_contain_text("Going")


def test_imports_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.goto(addresses.of(stack, "import"))
        text = b"email,name\nplain@unscripted.test,Petra Plain\n"
        page.get_by_label("Drop a file here, or choose one").set_input_files(
            {"name": "guests.csv", "mimeType": "text/csv", "buffer": text}
        )
        page.get_by_role("button", name="Read the file").click()
        page.get_by_role("button", name="Try it out").click()
        page.get_by_role("button", name="Import 1 guest").click()
        expect(page.get_by_role("heading", level=1, name="Adding 1 guest")).to_be_visible()
    processes.wait_until(
        lambda: at_the_provider(stack, "%@unscripted.test") == [("Petra", "Plain", "valid")],
        seconds=60, what="the provider to know of it",
    )  # fmt: skip


def test_adds_one_by_hand(stack, olive):
    olive.goto(addresses.of(stack, "add-guest"))
    olive.get_by_label("E-mail").fill("hand@added.test")
    olive.get_by_label("First name").fill("Hanna")
    olive.get_by_label("Last name").fill("Hand")
    olive.get_by_role("button", name="Add guest").click()
    row = olive.locator("#guest-list tbody").filter(has_text="Hanna Hand")
    expect(row).to_contain_text("Going", timeout=20_000)
    assert at_the_provider(stack, "hand@added.test") == [("Hanna", "Hand", "valid")]


def test_begins_with_a_message_of_ours_and_looks_at_it(stack, olive, complaints):
    olive.goto(addresses.of(stack, "new-message"))
    olive.get_by_label("Name").fill("See you there")
    olive.get_by_label("Message", exact=True).fill("Dear {first_name}, see you at {event}.")
    olive.get_by_role("button", name="Keep").click()
    olive.goto(addresses.of(stack, "guests"))
    boxes = olive.locator("#guest-list tbody input[name=id]")
    for number in (0, 1):
        boxes.nth(number).check()
    olive.get_by_role("button", name="More…").click()
    dialog = olive.get_by_role("dialog", name="Everybody selected")
    dialog.get_by_label("Begin with a message of yours").select_option(label="See you there")
    expect(dialog.get_by_label("Message", exact=True)).to_have_value("Dear {first_name}, see you at {event}.")
    dialog.get_by_role("button", name="Preview").click()
    expect(dialog.locator(".letter")).to_have_count(2)
    expect(dialog.locator(".letter").first).not_to_contain_text("{")
    expect(olive.locator("#bulk b [data-count]")).to_have_text("2")
    assert browsers.violations(olive) == []
    dialog.get_by_label("Message", exact=True).fill("Dear {vorname}")
    dialog.get_by_role("button", name="Reject").click()
    expect(dialog.locator("#bulk-message-said")).to_contain_text("“{vorname}” is no placeholder")
    expect(dialog.get_by_label("Message", exact=True)).to_have_value("Dear {vorname}")
    expect(olive.locator("#bulk b [data-count]")).to_have_text("2")
    complaints[:] = [said for said in complaints if not re.search(r"status of 422", said)]
