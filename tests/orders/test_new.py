"""An order put together in the browser: what is sold, several of it, a total; and nothing that was typed is lost."""

import re
from html import unescape

import pytest

from organizer.orders import listings
from organizer.orders.models import ListingSearch, Order
from organizer.sync.models import Command
from tests.orders import stand
from tests.support.faults import says

AT = "/o/harbour/orders/new/"
STALLS, BALCONY = stand.LISTING, "listing-2"
WHO = {"name": "Zoë Q", "email": "zoe@x.test"}


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def shelf(olive, vendor, supplier):
    """Two listings, found a moment ago."""
    sells(supplier, listing(), listing(id=BALCONY, section="Balcony", price=10.5))
    olive.get(AT)
    work()
    return vendor


def text(answer):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def listing(**more):
    return {
        "id": stand.LISTING, "event_name": "Winter Supper", "starts_at": "2030-01-01T19:00:00Z", "section": "Stalls",
        "price": 25, "currency": "EUR", "available": 7,
    } | more  # fmt: skip


def sells(supplier, *found):
    answer = says({"data": list(found), "meta": {"count": len(found)}}, headers=stand.WIDE)
    supplier.answer = lambda request, usual: answer if request.path.endswith("/listings") else usual


def work():
    """What the worker does about searches."""
    for pk in ListingSearch.objects.values_list("pk", flat=True):
        listings.answer(pk)


def said(vendor, *lines, **more):
    """The form as a browser sends it: `lines` are listings with their numbers, as they were typed."""
    of = {"of": [vendor.key] * len(lines), "item": [one for one, _n in lines], "quantity": [n for _one, n in lines]}
    return {"vendor": vendor.key, "reference": "R-000000000001", **of, **WHO, **more}


def test_asks_the_supplier_by_the_worker_and_never_in_the_page(olive, vendor, supplier):
    sells(supplier, listing())
    supplier.server.requests.clear()
    page = text(olive.get(f"{AT}?q=supper"))
    assert "Asking" in page
    assert supplier.server.requests == []
    work()
    page = text(olive.post(AT, {"q": "supper"}))
    assert ("Winter Supper" in page, "7 left" in page, "€25" in page, "Asking" in page) == (True, True, True, False)
    [asked] = supplier.server.requests
    assert asked.query == {"q": ["supper"], "page": ["1"]}


def test_says_that_the_supplier_does_not_answer(olive, vendor, supplier):
    supplier.server.stop()
    olive.get(AT)
    work()
    assert "cannot be reached" in text(olive.get(AT))


def test_places_several_in_one_order(olive, cast, shelf):
    answer = olive.post(AT, said(shelf, (STALLS, "2"), (BALCONY, "3"), do="place"))
    order = Order.objects.get()
    assert answer["Location"] == f"/o/harbour/orders/{order.pk}/"
    wanted = [{"listing_id": STALLS, "quantity": 2}, {"listing_id": BALCONY, "quantity": 3}]
    assert Command.objects.get().params["items"] == wanted
    assert ([one["section"] for one in order.wanted], order.by) == (["Stalls", "Balcony"], cast.olive)
    page = text(olive.get(answer["Location"]))
    assert "2 × Winter Supper, Stalls" in page
    assert "3 × Winter Supper, Balcony" in page


def test_adds_takes_away_and_adds_up(olive, shelf):
    page = text(olive.post(AT, said(shelf, add=STALLS)))
    assert ("1 ticket" in page, "Total €25.00" in page) == (True, True)
    assert "2 tickets" in text(olive.post(AT, said(shelf, (STALLS, "1"), add=STALLS)))
    page = text(olive.post(AT, said(shelf, (STALLS, "2"), (BALCONY, "3"))))
    assert ("5 tickets" in page, "Total €81.50" in page) == (True, True)
    answer = olive.post(AT, said(shelf, (STALLS, "2"), (BALCONY, "3"), drop=STALLS))
    assert "Total €31.50" in text(answer)
    assert answer.status_code == 200
    assert not Order.objects.exists()


def test_is_one_order_however_often_it_is_pressed(olive, shelf):
    form = said(shelf, (STALLS, "2"), do="place")
    first, second = olive.post(AT, form), olive.post(AT, form)
    assert first["Location"] == second["Location"]
    assert Order.objects.get().reference == form["reference"]
    third = olive.post(AT, said(shelf, (STALLS, "1"), do="place"))
    assert third["Location"] != first["Location"]
    assert Order.objects.count() == 2


def test_gives_each_form_its_own_reference(olive, shelf):
    references = {re.search(r'name="reference" value="(R-\w+)"', olive.get(AT).content.decode())[1] for _n in range(3)}
    assert len(references) == 3
    made_up = olive.post(AT, said(shelf, (STALLS, "1"), do="place", reference="R-1"))
    assert made_up.status_code == 302
    assert Order.objects.get().reference != "R-1"


@pytest.mark.parametrize(
    ("lines", "more", "why"),
    [
        ([], {}, "Choose what to order."),
        ([(STALLS, "0")], {}, "A number from 1 to 100."), ([(STALLS, "101")], {}, "A number from 1 to 100."),
        ([(STALLS, "two")], {}, "A number from 1 to 100."), ([(STALLS, "²")], {}, "A number from 1 to 100."),
        ([(STALLS, "8")], {}, "Only 7 are left."),
        ([(STALLS, "2")], {"email": "nobody"}, "valid email"), ([(STALLS, "2")], {"name": " "}, "required"),
    ],
)  # fmt: skip
def test_says_what_is_wrong_and_loses_nothing(olive, shelf, lines, more, why):
    form = said(shelf, *lines, (BALCONY, "3"), do="place", **more) if lines else said(shelf, do="place")
    answer = olive.post(AT, form)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert why in text(answer)
    kept = [number for _listing, number in lines] + [form["name"], form["email"], form["reference"]]
    assert all(f'value="{value}"' in page for value in kept if value.strip())
    assert not Order.objects.exists()


def test_is_paid_in_one_currency(olive, vendor, supplier):
    sells(supplier, listing(), listing(id=BALCONY, currency="USD"))
    olive.get(AT)
    work()
    page = text(olive.post(AT, said(vendor, (STALLS, "1"), (BALCONY, "1"), do="place")))
    assert "place one for each" in page
    assert ("€25.00" in page, "$25.00" in page) == (True, True)
    assert not Order.objects.exists()


def test_keeps_what_was_chosen_at_another_supplier(olive, cast, shelf, supplier):
    other = stand.add_vendor(cast.organization, supplier.url)
    there = olive.post(AT, said(shelf, (STALLS, "2")) | {"vendor": other.key})
    assert "2 tickets" not in text(there)
    for value in (STALLS, shelf.key, *WHO.values()):
        assert f'value="{value}"' in there.content.decode()
    assert "2 tickets" in text(olive.post(AT, said(shelf, (STALLS, "2"))))


def test_orders_what_nobody_has_found_lately(olive, vendor):
    """Searches are forgotten after half an hour; a form may be older."""
    page = text(olive.post(AT, said(vendor, ("old-one", "2"))))
    assert "not found lately" in page
    assert olive.post(AT, said(vendor, ("old-one", "2"), do="place")).status_code == 302
    assert Order.objects.get().wanted == [{"listing_id": "old-one", "quantity": 2}]
