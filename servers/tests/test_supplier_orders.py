"""Listings are found; orders are placed once, found by their reference and never oversold."""

from datetime import timedelta
from urllib.parse import quote

import pytest

from servers.kit import clock
from servers.supplier_api.models import Listing, Order
from servers.tests import suppliers
from servers.tests.asserts import assert_invalid, assert_refused
from servers.tests.suppliers import SOON, wanted

pytestmark = pytest.mark.django_db


@pytest.fixture
def supplier(db):
    return suppliers.supplier()


@pytest.fixture
def api(supplier):
    return suppliers.api_for(supplier)


@pytest.fixture
def listing(supplier):
    return suppliers.listing(supplier)


def found(api, query=""):
    return [one["section"] for one in api.get(f"/listings{query}").json()["data"]]


class TestListings:
    def test_shows_what_is_sold(self, api, listing):
        [shown] = api.get("/listings").json()["data"]
        assert shown == {
            "id": listing.pk,
            "event_name": "Café Übersee",
            "starts_at": "2035-06-01T18:00:00Z",
            "section": "Parkett",
            "price": 49.5,
            "currency": "EUR",
            "available": 10,
            "ticket_type": "pdf",
        }

    @pytest.mark.parametrize(
        "q", ["cafe", "CAFÉ", "ubersee parkett", "kett  über", quote("Café"), quote("e\u0301 u"), ""]
    )
    def test_finds_words_in_any_order_without_accents(self, api, listing, q):
        assert found(api, f"?q={q}") == ["Parkett"]

    @pytest.mark.parametrize("q", ["balcony", "parkett balcony", "%25", "_", "%00x"])
    def test_finds_nothing_else(self, api, listing, q):
        assert found(api, f"?q={q}") == []

    def test_pages_by_when_it_begins(self, api, supplier):
        for number in reversed(range(5)):
            suppliers.listing(supplier, section=str(number), starts_at=SOON + timedelta(days=number))
        pages = [api.get(f"/listings?page={page}&page_size=2").json() for page in (1, 2, 3, 4)]
        assert [[one["section"] for one in page["data"]] for page in pages] == [["0", "1"], ["2", "3"], ["4"], []]
        assert pages[0]["meta"] == {"count": 5, "page": 1, "page_size": 2, "total_pages": 3}

    def test_sells_nothing_that_has_begun(self, api, listing):
        with clock.handed_in(lambda: SOON):
            assert found(api) == []
            assert_refused(api.post("/orders", wanted((listing, 1))), 422, "unknown_listing")


class TestPlacing:
    def test_places_and_takes_the_seats(self, api, supplier, listing):
        balcony = suppliers.listing(supplier, section="Balkon", price="12", seats_a_row=0)
        answer = api.post("/orders", wanted((listing, 3), (balcony, 2)), Idempotency_Key="R-1")
        assert answer.status_code == 201
        order = answer.json()["data"]
        assert (order["reference"], order["status"], order["rejection_reason"]) == ("R-1", "pending", None)
        assert (order["total"], order["currency"]) == (172.5, "EUR")
        assert [(one["section"], one["quantity"], one["row"], one["seats"]) for one in order["items"]] == [
            ("Parkett", 3, "A", ["1", "2", "3"]),
            ("Balkon", 2, None, []),
        ]
        assert api.get(f"/orders/{order['id']}").json()["data"] == order
        assert {one.section: one.available for one in Listing.objects.all()} == {"Parkett": 7, "Balkon": 8}

    def test_gives_no_seat_out_twice(self, api, listing):
        seats = []
        for number in range(3):
            answer = api.post("/orders", wanted((listing, 3), reference=f"R-{number}"))
            [item] = answer.json()["data"]["items"]
            seats += [(item["row"], seat) for seat in item["seats"]]
        assert seats == [
            ("A", "1"), ("A", "2"), ("A", "3"),
            ("A", "4"), ("A", "B1"), ("A", "B2"),
            ("B", "3"), ("B", "4"), ("B", "C1"),
        ]  # fmt: skip

    def test_is_the_same_order_however_often(self, api, listing):
        body = wanted((listing, 2))
        first, again = (api.post("/orders", body, Idempotency_Key="R-1") for _ in range(2))
        assert (again.status_code, again["Idempotent-Replay"]) == (201, "true")
        assert again.json() == first.json()
        assert "Idempotent-Replay" not in first
        listing.refresh_from_db()
        assert (listing.available, Order.objects.count()) == (8, 1)

    def test_refuses_a_reference_with_another_body(self, api, listing):
        api.post("/orders", wanted((listing, 2)))
        for other in (wanted((listing, 3)), wanted((listing, 2), name="Somebody else")):
            assert_refused(api.post("/orders", other), 400, "idempotency_key_reuse")
        listing.refresh_from_db()
        assert listing.available == 8

    def test_takes_only_the_reference_for_an_idempotency_key(self, api, listing):
        assert_invalid(api.post("/orders", wanted((listing, 1)), Idempotency_Key="R-2"), "Idempotency-Key")
        odd = wanted((listing, 1), reference="Größe 7")
        assert api.post("/orders", odd, Idempotency_Key="Gr%C3%B6%C3%9Fe 7").status_code == 201

    def test_sells_no_more_than_there_is(self, api, listing):
        refused = assert_refused(api.post("/orders", wanted((listing, 11))), 422, "not_available")
        assert (refused["listing_id"], refused["available"]) == (listing.pk, 10)
        assert_refused(api.post("/orders", wanted((listing, 6), (listing, 5))), 422, "not_available")
        listing.refresh_from_db()
        assert (listing.available, listing.assigned, Order.objects.count()) == (10, 0, 0)
        assert api.post("/orders", wanted((listing, 10))).status_code == 201

    def test_sells_nothing_of_another_supplier(self, api, supplier):
        theirs = suppliers.listing(suppliers.supplier("abendkasse"))
        refused = assert_refused(api.post("/orders", wanted((theirs, 1))), 422, "unknown_listing")
        assert refused["listing_id"] == theirs.pk

    def test_takes_one_currency(self, api, supplier, listing):
        other = suppliers.listing(supplier, currency="USD")
        assert_refused(api.post("/orders", wanted((listing, 1), (other, 1))), 422, "mixed_currencies")

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"reference": ""}, "reference"),
            ({"reference": " R-1"}, "reference"),
            ({"reference": "R-1\n"}, "reference"),
            ({"reference": "R" * 101}, "reference"),
            ({"reference": 7}, "reference"),
            ({"reference": "R\x00"}, "reference"),
            ({"items": []}, "items"),
            ({"items": [{"listing_id": "x", "quantity": 0}]}, "items.0.quantity"),
            ({"items": [{"listing_id": "x", "quantity": True}]}, "items.0.quantity"),
            ({"customer": {"name": "", "email": "a@b.c"}}, "customer.name"),
            ({"customer": {"name": "A", "email": "nobody"}}, "customer.email"),
            ({"colour": "red"}, "colour"),
        ],
    )
    def test_names_what_is_wrong(self, api, listing, change, path):
        assert_invalid(api.post("/orders", wanted((listing, 1)) | change), path)
        assert not Order.objects.exists()

    def test_refuses_what_is_no_json(self, api):
        assert_refused(api.post("/orders", b"{"), 400, "invalid_json")


class TestSearch:
    @pytest.mark.parametrize("reference", ["R-1", "R&reference=x#?%/+ 7", "Größe 名", "a/b", "%52-1"])
    def test_finds_exactly_this_reference(self, api, listing, reference):
        order = suppliers.order(api, listing, reference=reference)
        answer = api.get(f"/orders?reference={quote(reference, safe='')}").json()
        assert [one["id"] for one in answer["data"]] == [order.pk]
        assert answer["data"][0]["reference"] == reference
        assert answer["meta"] == {"count": 1}

    @pytest.mark.parametrize("reference", ["r-1", "R-1 ", "R-", "R-11", "R-%25", "R-_", "R-1%00", "x" * 400])
    def test_finds_no_other(self, api, listing, reference):
        suppliers.order(api, listing)
        assert api.get(f"/orders?reference={reference}").json() == {"data": [], "meta": {"count": 0}}
