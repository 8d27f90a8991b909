import pytest

from organizer.upstream.errors import NotFound, Refused


def test_places_and_finds(api, place, listing, reference):
    order = place()
    assert api.orders.find(reference) == (order,)
    assert api.orders.get(order.id) == order
    assert (order.reference, order.status, order.rejection_reason) == (reference, "pending", "")
    assert (order.total, order.currency) == (2 * listing.price, "EUR")
    [item] = order.items
    assert (item.listing_id, item.quantity, item.section) == (listing.id, 2, listing.section)
    assert (bool(item.row), len(item.seats)) == (True, 2)
    assert order.doubts == ()


def test_takes_the_seats(api, place, listing):
    place(3)
    [now] = [found for found in api.listings.page("supper parkett", 1).items if found.id == listing.id]
    assert now.available == listing.available - 3


@pytest.mark.parametrize("other", ["unknown", "R", "", " ", "x" * 300])
def test_finds_nothing_else(api, place, other):
    place()
    if other:
        assert api.orders.find(other) == ()
    else:
        with pytest.raises(Refused):
            api.orders.find(other)


def test_is_one_order_however_often_it_is_placed(place):
    assert place() == place()


def test_refuses_another_body_under_the_same_reference(place):
    place()
    with pytest.raises(Refused) as refusal:
        place(3)
    assert (refusal.value.status, refusal.value.error) == (400, "idempotency_key_reuse")


def test_tells_that_it_is_sold_out(place, listing):
    with pytest.raises(Refused, match="left") as refusal:
        place(100, items=[{"listing_id": listing.id, "quantity": 100}] * 2)
    assert (refusal.value.status, refusal.value.error) == (422, "not_available")


def test_names_the_field_that_is_wrong(place):
    with pytest.raises(Refused) as refusal:
        place(customer={"name": "Zoë", "email": "nobody"})
    assert refusal.value.details[0]["path"] == "customer.email"


def test_does_not_see_another_suppliers_order(place, reference, open_api):
    order = place()
    stranger = open_api("stranger")
    assert stranger.orders.find(reference) == ()
    with pytest.raises(NotFound):
        stranger.orders.get(order.id)
    with pytest.raises(NotFound):
        stranger.fulfilments.get(order.id)


def test_sees_why_it_was_rejected(open_api, place, work, reference):
    api = open_api("platzwerk", "--reject-each", "1")
    place()
    work()
    [order] = api.orders.find(reference)
    assert (order.status, order.rejection_reason) == ("rejected", "These seats were sold elsewhere a moment ago.")
