import pytest

from organizer.upstream.errors import NotFound


def test_waits_for_the_supplier(api, place):
    order = place()
    fulfilment = api.fulfilments.get(order.id)
    assert (fulfilment.status, fulfilment.tickets, fulfilment.doubts) == ("pending", (), ())


def test_brings_a_file_for_each_ticket(api, place, work):
    order = place(3)
    work()
    assert api.orders.get(order.id).status == "fulfilled"
    fulfilment = api.fulfilments.get(order.id)
    assert (fulfilment.status, len(fulfilment.tickets), fulfilment.doubts) == ("available", 3, ())
    for ticket in fulfilment.tickets:
        assert (ticket.type, ticket.row) == ("pdf", order.items[0].row)
        assert ticket.download_url.endswith(f"/orders/{order.id}/tickets/{ticket.id}/file")
        file = api.fulfilments.file(order.id, ticket.id)
        assert (file.content_type, file.content[:5]) == ("application/pdf", b"%PDF-")
    assert {ticket.seat for ticket in fulfilment.tickets} == set(order.items[0].seats)


def test_brings_codes_as_values(api, work, place):
    [standing] = api.listings.page("supper stehplatz", 1).items
    order = place(items=[{"listing_id": standing.id, "quantity": 2}])
    work()
    tickets = api.fulfilments.get(order.id).tickets
    assert len({ticket.value for ticket in tickets}) == 2
    assert {(ticket.type, ticket.row, ticket.seat, ticket.download_url) for ticket in tickets} == {
        ("qrcode", "", "", "")
    }
    file = api.fulfilments.file(order.id, tickets[0].id)
    assert (file.content_type, file.content[:4]) == ("image/png", b"\x89PNG")


@pytest.mark.parametrize("odd", ["nothing", "../../listings", "..", "a/b", "?q=1"])
def test_says_what_is_not_there(api, place, odd):
    order = place()
    for ask in (lambda: api.fulfilments.get(odd), lambda: api.fulfilments.file(order.id, odd)):
        with pytest.raises(NotFound):
            ask()
