"""What must hold of orders over two server processes on one database."""

import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.models import Order, OrderItem
from servers.tests import suppliers
from servers.tests.suppliers import wanted

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def place(urls):
    """Places orders side by side, by turns with each process."""
    bases = itertools.cycle([url.replace("/api/v1", "/api/vendor/v1") for url in urls])

    def place_(supplier, bodies):
        headers = {"Authorization": f"Bearer {actions.issue(supplier=supplier).orders_key}"}
        with httpx.Client(timeout=60, headers=headers) as client, ThreadPoolExecutor(12) as pool:
            calls = [(f"{next(bases)}/orders", body) for body in bodies]
            return list(pool.map(lambda call: client.post(call[0], json=call[1]), calls))

    return place_


def test_sells_each_seat_once(place):
    supplier = suppliers.supplier()
    listing = suppliers.listing(supplier, available=20, seats_a_row=20)
    seen = place(supplier, [wanted((listing, 3), reference=f"R-{number}") for number in range(30)])
    assert Counter(one.status_code for one in seen) == {201: 6, 422: 24}
    listing.refresh_from_db()
    assert listing.available == 2
    seats = [seat for item in OrderItem.objects.all() for seat in item.seats]
    assert len(seats) == len(set(seats)) == 18
    assert sorted(Order.objects.values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_places_one_reference_once(place):
    supplier = suppliers.supplier()
    listing = suppliers.listing(supplier)
    seen = place(supplier, [wanted((listing, 1))] * 12)
    assert {one.status_code for one in seen} == {201}
    assert len({one.json()["data"]["id"] for one in seen}) == 1
    assert Counter(one.headers.get("Idempotent-Replay") for one in seen) == {None: 1, "true": 11}
    listing.refresh_from_db()
    assert (listing.available, Order.objects.count()) == (9, 1)
