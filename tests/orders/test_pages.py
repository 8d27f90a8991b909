"""What owner and admin see of orders, and what they can do about them."""

import re
from html import unescape

import pytest

from organizer.accounts.models import AuditEntry
from organizer.orders import rules
from organizer.orders.models import Order, Ticket, Wake
from tests.orders import stand
from tests.support.faults import status

AT = "/o/harbour/orders/"


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


def text(answer):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def test_lists_by_state_and_finds_by_words(olive, vendor, supplier):
    first = stand.placed(vendor, name="Ada Öst", email="ada@x.test")
    second = stand.placed(vendor, name="Bo")
    supplier.moves(second, "rejected", rejection_reason="Sold elsewhere.")
    stand.look(vendor, second)
    assert first.reference in text(olive.get(AT))
    rejected = text(olive.get(f"{AT}?tab=rejected"))
    assert second.reference in rejected
    assert first.reference not in rejected
    for q in ("ost", "ADA@x", first.reference.lower()):
        found = text(olive.get(AT, {"q": q}))
        assert first.reference in found
        assert second.reference not in found
    assert "No order matches" in text(olive.get(AT, {"q": "nobody"}))


def test_says_what_is_late_and_why(olive, vendor, supplier, order):
    Order.objects.update(state_read_at=order.placed_at - 2 * rules.STATE_EVERY)
    stand.Pulse.objects.create(process="a worker", at=stand.Clock()())
    supplier.server.stop()
    Order.objects.update(state_due_at=order.placed_at)
    stand.drain(vendor)
    page = text(olive.get(AT))
    assert f"1 order of {vendor.name} not checked in time: it did not answer as it should." in page
    assert "was refused" in page
    assert "was not asked in time" in text(olive.get(f"{AT}{order.pk}/"))


def test_tells_the_story_of_an_order(olive, vendor, supplier, order):
    supplier.moves(order, "accepted")
    supplier.prints(order, {"id": "t1", "row": "A", "seat": "4"})
    stand.look(vendor, order)
    page = text(olive.get(f"{AT}{order.pk}/"))
    for said in ("Pending → Accepted", "Placed", "Placing → Pending", "Row A", "seat 4", "1 of 2", "Zoë O'Hara"):
        assert said in page
    assert "1 ticket is not there yet" in page


@pytest.mark.parametrize(
    ("state", "more", "said"),
    [
        ("rejected", {"rejection_reason": "These seats were sold elsewhere."}, "These seats were sold elsewhere."),
        ("accepted", {}, "tickets are not there yet"), ("pending", {}, "has not decided yet"),
    ],
)  # fmt: skip
def test_says_why_it_does_not_move(olive, vendor, supplier, order, state, more, said):
    supplier.moves(order, state, **more)
    stand.look(vendor, order)
    assert said in text(olive.get(f"{AT}{order.pk}/"))


def test_says_why_it_is_not_placed(olive, vendor, supplier):
    order = stand.place(vendor)
    stand.Connection.objects.update(health="key_refused")
    assert "The key was refused." in text(olive.get(f"{AT}{order.pk}/"))


def test_looks_at_once_when_asked(olive, vendor, supplier, order):
    supplier.moves(order, "cancelled")
    assert olive.post(f"{AT}{order.pk}/reconcile/").status_code == 302
    assert Wake.objects.get().rank == 0
    stand.drain(vendor)
    order.refresh_from_db()
    assert order.state == rules.CANCELLED


def test_downloads_a_ticket_and_notes_it(olive, cast, vendor, supplier, order):
    supplier.moves(order, "accepted")
    supplier.prints(order, {"id": "t1"}, {"id": "t2", "type": "barcode", "value": "4711"})
    usual = supplier.answer
    supplier.answer = lambda request, it: status(404, "no_file") if "/t2/" in request.path else usual(request, it)
    stand.look(vendor, order)
    assert order.tickets.filter(fetched_at=None).count() == 0
    for ticket, content in zip(Ticket.objects.order_by("remote_id"), (b"%PDF-1.7 t1", b"4711"), strict=True):
        answer = olive.get(f"{AT}{order.pk}/tickets/{ticket.pk}/")
        body = answer.getvalue() if answer.streaming else answer.content
        assert body == content
        assert answer["Content-Disposition"].startswith("attachment; filename=")
        assert (answer["X-Content-Type-Options"], answer["Content-Type"]) == ("nosniff", "application/octet-stream")
        assert answer["Cache-Control"] == "no-store"
    assert AuditEntry.objects.filter(verb="order.download_ticket", by=cast.olive).count() == 2


def test_fetches_a_file_again_that_is_gone(olive, vendor, supplier, order):
    """As after a restore, which has the rows and not the files."""
    supplier.moves(order, "accepted")
    supplier.prints(order, {"id": "t1"})
    stand.look(vendor, order)
    ticket = order.tickets.get()
    ticket.file.storage.delete(ticket.file.name)
    assert olive.get(f"{AT}{order.pk}/tickets/{ticket.pk}/")["Location"] == f"{AT}{order.pk}/"
    stand.drain(vendor)
    assert olive.get(f"{AT}{order.pk}/tickets/{ticket.pk}/").getvalue() == b"%PDF-1.7 t1"


def test_keeps_a_ticket_apart_from_its_order(olive, vendor, supplier):
    """A ticket under another order's address is not there."""
    one, other = stand.placed(vendor), stand.placed(vendor)
    ticket = Ticket.objects.create(
        organization_id=one.organization_id, order=one, remote_id="t", value="x", fetched_at=one.placed_at
    )
    assert olive.get(f"{AT}{other.pk}/tickets/{ticket.pk}/").status_code == 404


def test_tries_again_for_a_file_that_did_not_come(vendor, supplier, order, clock):
    supplier.moves(order, "accepted")
    supplier.prints(order, {"id": "t1"}, {"id": "t2"})
    broken = {"now": True}
    supplier.answer = lambda request, usual: status(500) if "/file" in request.path and broken["now"] else usual
    stand.look(vendor, order, clock)
    assert [bool(one.problem) for one in order.tickets.all()] in ([True, True], [True, False], [False, True])
    broken["now"] = False
    clock.forward(minutes=1)
    stand.drain(vendor, clock)
    assert order.tickets.filter(fetched_at=None).count() == 0


def test_lists_what_was_found(olive, vendor, supplier, order):
    stand.look(vendor, order)
    stand.wake(vendor, "nobody's")
    stand.drain(vendor)
    assert "Foyer has no order with this reference." in text(olive.get(f"{AT}reconciliations/?outcome=no_match"))
    page = text(olive.get(f"{AT}reconciliations/?outcome=unchanged"))
    assert order.reference in page
    assert "nobody's" not in page


def test_finds_what_was_found_about_one_reference(olive, vendor, supplier, order):
    stand.look(vendor, order)
    stand.wake(vendor, "nobody's")
    stand.drain(vendor)
    page = text(olive.get(f"{AT}reconciliations/", {"q": f" {order.reference} "}))
    assert order.reference in page
    assert "Foyer has no order" not in page
    for nothing in (order.reference[:-1], "\0", "x" * 300):
        assert "Nothing of that was found" in text(olive.get(f"{AT}reconciliations/", {"q": nothing}))


def test_a_deliverys_page_goes_on_by_itself_until_it_is_told(olive, vendor, supplier, order):
    supplier.moves(order, "accepted")
    [delivery] = stand.wake(vendor, order.reference)
    at, part = f"/o/harbour/webhooks/deliveries/{delivery.pk}/", {"HX-Request": "true", "HX-Target": "delivery-told"}
    waiting = olive.get(at, headers=part)
    assert "every 2s" in waiting.content.decode()
    assert 'id="delivery-body"' not in waiting.content.decode()
    stand.drain(vendor)
    told = olive.get(at, headers=part)
    assert "every 2s" not in told.content.decode()
    assert re.search(r"Pending → Accepted , \d+(\.\d)? m?s after its call", text(told))
    assert 'id="delivery-steps"' in told.content.decode()


def test_is_told_on_the_deliverys_page(olive, vendor, supplier, order):
    supplier.moves(order, "accepted")
    stand.look(vendor, order)
    [delivery] = stand.webhooks.Delivery.objects.all()
    answer = olive.get(f"/o/harbour/webhooks/deliveries/{delivery.pk}/")
    assert "We asked" in text(answer)
    assert "Pending → Accepted" in text(answer)
    assert f'href="{AT}{order.pk}/"' in answer.content.decode()
    assert f'href="{AT}{order.pk}/"' in olive.get("/o/harbour/webhooks/").content.decode()
