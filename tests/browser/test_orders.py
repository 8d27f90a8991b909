"""An order from its placing to its ticket, at our own supplier: its operator, the sender and the worker are real."""

import re
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.support import browsers, processes
from tests.support.stack import BY_HAND, PASSWORD
from tests.webhooks.live import Supplier

_SIZES = "SELECT size FROM orders_ticket WHERE order_id = (SELECT id FROM orders_order WHERE reference = '{}')"
_STORED = (
    "SELECT count(*), sum(duplicates) FROM webhooks_delivery"
    " WHERE vendor_id = (SELECT id FROM webhooks_vendor WHERE key = '{}')"
)
FILES = {"pdf": b"%PDF-1.", "qrcode": b"\x89PNG", "barcode": b"Winter Supper"}
"""How the file of each type begins."""
PAUSE = 0.02
"""Between two deliveries of a sender that never stops: a supplier's, not a test's that waits."""


@pytest.fixture
def page(stack, browser, complaints):
    with browsers.visitor(browser, complaints=complaints) as page:
        browsers.sign_in(page, stack.url)
        yield page


@pytest.fixture
def operator(stack, browser):
    """Whoever runs the supplier, on its own pages."""
    with browsers.visitor(browser) as page:
        page.goto(f"{stack.event_server.url}/suppliers/{BY_HAND}/")
        page.get_by_label("E-mail or name").fill("operator")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        yield page


@pytest.fixture
def afterwards(stack):
    """Whoever stops the servers leaves them running for the next test."""
    yield
    stack.event_server.stop()
    stack.event_server.start()


def place(page, stack, *numbers, name="Zoë Quint"):
    """So many of each of the first listings that the supplier sells; the reference."""
    page.goto(f"{stack.url}/o/demo/orders/")
    page.get_by_role("link", name="New order").click()
    page.get_by_role("button", name="Platzwerk").click()
    page.get_by_label("Search what Platzwerk sells").press_sequentially("winter")
    listings = page.locator(".listing")
    expect(listings.first).to_contain_text("Winter Supper")
    expect(page.locator("#listings")).not_to_contain_text("Cities After Dark")
    for line, number in enumerate(numbers):
        listings.nth(line).get_by_role("button").click()
        wanted = page.locator("#basket").get_by_role("spinbutton")
        expect(wanted).to_have_count(line + 1)
        wanted.nth(line).fill(str(number))
    expect(page.locator("#basket")).to_contain_text(f"{sum(numbers)} ticket")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Email").fill("zoe@quint.test")
    page.get_by_role("button", name="Place order").click()
    expect(page.locator("#order .st").first).to_have_text("Pending")
    return page.locator(".crumbs [aria-current]").inner_text()


def moves(operator, stack, reference, button):
    operator.goto(f"{stack.event_server.url}/suppliers/{BY_HAND}/")
    operator.get_by_role("link", name=reference).click()
    operator.get_by_role("button", name=button).click()


def stays(page):
    """What a reload would lose."""
    page.evaluate("window.stays = true")
    return lambda: page.evaluate("window.stays === true")


def test_an_order_becomes_a_ticket(page, operator, stack):
    log = page.context.new_page()
    reference = place(page, stack, 2, 1)
    log.goto(f"{stack.url}/o/demo/webhooks/")
    order_stays, log_stays = stays(page), stays(log)

    moves(operator, stack, reference, "Accept")
    log.locator("#delivery-news .news").click()
    row = log.locator("tbody[data-row]", has_text=reference)
    expect(row.locator(".c-name")).to_have_text("order.accepted")
    expect(row.locator(".c-st .st").first).to_have_text("Changed")
    assert log_stays()

    expect(page.locator("#order .st").first).to_have_text("Accepted")
    expect(page.locator(".why")).to_contain_text("3 tickets are not there yet")
    told = page.locator(".line-t > li")
    expect(told.filter(has_text="Platzwerk said order.accepted")).to_be_visible()
    expect(told.filter(has_text="Pending → Accepted")).to_contain_text("Delivery")
    expect(told.filter(has_text="Placing → Pending")).to_be_visible()
    expect(told.last).to_contain_text("Placed")

    moves(operator, stack, reference, "Make all 3 tickets available")
    expect(page.locator("#order .st").first).to_have_text("Fulfilled")
    files = page.get_by_role("link", name="Download")
    expect(files).to_have_count(3)
    sizes = []
    for row in page.locator("#order li", has=files).all():
        with page.expect_download() as taken:
            row.get_by_role("link").click()
        file = taken.value.path().read_bytes()
        assert file.startswith(FILES[row.locator(".sub").inner_text().split()[0]])
        sizes.append(len(file))
    assert sorted(sizes) == sorted(size for (size,) in stack.rows(_SIZES.format(reference)))
    assert order_stays()

    log.locator("tbody[data-row]", has_text=reference).locator(".c-ref a").click()
    expect(log.get_by_role("heading", level=1)).to_contain_text("Zoë Quint")


def test_a_bad_signature_stands_under_rejected_with_its_fix(page, stack):
    said = Supplier(stack.url, BY_HAND, secret="the secret of somebody else").sends(b'{"reference": "R-1"}')
    assert said.status == 401
    page.goto(f"{stack.url}/o/demo/webhooks/")
    page.locator("main").get_by_role("link", name="Rejected", exact=True).click()
    row = page.locator("tr[data-row]", has_text="Platzwerk").first
    expect(row).to_contain_text("Wrong signature")
    expect(row).to_contain_text("does not belong to this body")
    expect(row).to_contain_text("Let the supplier try the test vectors")
    row.get_by_role("link", name="Open the supplier").click()
    expect(page.get_by_role("heading", name="Test vectors")).to_be_visible()


class Sender(threading.Thread):
    """A supplier that never stops telling; each delivery has an id of its own."""

    def __init__(self, url: str, key: str, secret: str) -> None:
        super().__init__(daemon=True)
        self.supplier, self.over = Supplier(url, key, secret), threading.Event()
        self.answers: Counter[int] = Counter()

    def run(self) -> None:
        while not self.over.wait(PAUSE):
            body = b'{"event": "ping", "sent_at": "%s"}' % uuid.uuid4().hex.encode()
            said = self.supplier.sends(body, X_Webhook_Id=uuid.uuid4().hex)
            self.answers[said.status] += 1

    def has_sent(self, number: int) -> None:
        wanted = sum(self.answers.values()) + number
        processes.wait_until(lambda: sum(self.answers.values()) >= wanted, what=f"{number} more deliveries")


@contextmanager
def sending(stack, key, secret) -> Iterator[Sender]:
    sender = Sender(stack.url, key, secret)
    sender.start()
    try:
        yield sender
    finally:
        sender.over.set()
        sender.join(20)


def test_rotates_a_secret_without_losing_a_delivery(page, stack):
    key = f"turns-{uuid.uuid4().hex[:6]}"
    page.goto(f"{stack.url}/o/demo/webhooks/suppliers/new/")
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_label("Deliveries a second").fill("1000")
    page.get_by_label("At once").fill("1000")
    page.get_by_role("button", name="Add supplier").click()
    old_secret = page.locator("#secret").input_value()
    page.get_by_role("link", name="I have it").click()

    with sending(stack, key, old_secret) as old:
        old.has_sent(20)
        page.get_by_role("link", name="Rotate…").click()
        page.get_by_role("button", name="Rotate").click()
        new_secret = page.locator("#secret").input_value()
        with sending(stack, key, new_secret) as new:
            new.has_sent(20)
            old.has_sent(20)
            assert set(old.answers) == set(new.answers) == {200}
            page.get_by_role("link", name="I have it").click()
            expect(page.locator("main")).to_contain_text("counts until")
            old.over.set()  # the supplier has the new one
            old.join(20)
            page.get_by_role("button", name="End it now").click()
            expect(page.get_by_text("The old secret counts no more.")).to_be_visible()
            new.has_sent(20)
    assert set(old.answers) == set(new.answers) == {200}
    assert stack.rows(_STORED.format(key)) == [(old.answers[200] + new.answers[200], 0)]
    assert Supplier(stack.url, key, old_secret).sends(b"{}").status == 401
    assert Supplier(stack.url, key, new_secret).sends(b"{}").status == 200
    page.goto(f"{stack.url}/o/demo/webhooks/?vendor={key}&auth=old")
    expect(page.locator("tbody[data-row]").first).to_contain_text("Old secret")


def test_says_why_an_order_does_not_move(page, stack, afterwards):
    place(page, stack, 1)
    expect(page.locator(".why")).to_contain_text("Platzwerk has not decided yet")
    stack.event_server.stop()
    page.get_by_role("button", name="Reconcile now").click()
    expect(page.locator(".why")).to_contain_text("cannot be reached")
    expect(page.locator(".line-t > li").first).to_contain_text("Failed")

    page.goto(f"{stack.url}/o/demo/orders/reconciliations/?outcome=failed")
    expect(page.locator("tr[data-row]").first).to_contain_text("cannot be reached")


def test_an_order_that_nobody_takes_waits_and_goes_out_once(page, stack, afterwards):
    page.goto(f"{stack.url}/o/demo/orders/new/?vendor={BY_HAND}")
    expect(page.locator(".listing").first).to_be_visible()
    stack.event_server.stop()
    page.locator(".listing").last.get_by_role("button").click()
    expect(page.locator("#basket").get_by_role("spinbutton")).to_have_count(1)
    page.get_by_label("Name").fill("Ada Wait")
    page.get_by_label("Email").fill("ada@wait.test")
    page.get_by_role("button", name="Place order").click()
    expect(page.locator("#order .st").first).to_have_text("Placing")
    expect(page.locator(".why")).to_contain_text(re.compile("not sent|sent again"))
    stack.event_server.start()
    expect(page.locator("#order .st").first).to_have_text("Pending", timeout=90_000)
    assert stack.ask("SELECT count(*) FROM orders_order WHERE customer_name = 'Ada Wait'") == 1


def test_orders_without_scripts(stack, browser):
    with browsers.visitor(browser, java_script_enabled=False) as page:
        browsers.sign_in(page, stack.url)
        page.goto(f"{stack.url}/o/demo/orders/new/?vendor={BY_HAND}")
        page.get_by_label("Name").fill("Zoë Plain")
        page.get_by_label("Search what Platzwerk sells").fill("reading")
        page.get_by_role("button", name="Search", exact=True).click()
        answer = page.get_by_role("button", name="Show the answer")
        listings = page.locator(".listing")
        while not listings.count():  # each is a page of its own
            answer.click()
        listings.first.get_by_role("button").click()
        listings.nth(1).get_by_role("button").click()
        page.get_by_role("spinbutton").first.fill("3")
        page.get_by_role("button", name="Add up").click()
        expect(page.locator("#basket")).to_contain_text("4 tickets")
        page.get_by_label("Email").fill("not an address")
        page.get_by_role("button", name="Place order").click()
        expect(page.locator(".field-error")).to_contain_text("valid email")
        expect(page.get_by_label("Name")).to_have_value("Zoë Plain")
        page.get_by_label("Email").fill("zoe@plain.test")
        page.get_by_role("button", name="Place order").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Zoë Plain")
