"""A supplier that keeps to the contract loosely, or not at all."""

import httpx
import pytest

from organizer.upstream.errors import Broken, Forbidden, KeyRefused, NotFound, Unreachable
from organizer.upstream.supplier_api import SupplierApi
from tests.support import faults
from tests.upstream.conftest import KEY

ORDER = {"id": "s1", "reference": "R-1", "status": "accepted"}
FILE = "/orders/s1/tickets/t1/file"


@pytest.fixture
def api(fault_server, transport_to):
    return SupplierApi(transport_to(fault_server.url, bearer=True))


@pytest.fixture
def answering(transport_to):
    def answering_(status=200, json=None, **response):
        handler = httpx.MockTransport(lambda request: httpx.Response(status, json=json, **response))
        return SupplierApi(transport_to("https://supplier.example.test/v1", bearer=True, transport=handler))

    return answering_


def test_shows_its_key_as_a_bearer(api, fault_server):
    fault_server.on("/orders", faults.says({"data": [ORDER]}))
    fault_server.on(FILE, faults.Answer(200, b"%PDF-", {"Content-Type": "Application/PDF; q=1"}))
    api.orders.find("R&reference=2")
    api.fulfilments.file("s1", "t1")
    assert fault_server.requests[0].query == {"reference": ["R&reference=2"]}
    for request in fault_server.requests:
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert "x-api-key" not in request.headers


def test_needs_no_more_than_it_must(answering):
    [order] = answering(json={"data": [ORDER | {"colour": "red"}]}).orders.find("R-1")
    assert (order.items, order.rejection_reason, order.created_at, order.doubts) == ((), "", None, ())
    assert order.payload["colour"] == "red"
    fulfilment = answering(json={"data": {"status": "partial", "tickets": [{"id": 7, "type": "pkpass"}]}})
    [ticket] = fulfilment.fulfilments.get("s1").tickets
    assert (ticket.id, ticket.type, ticket.value) == ("7", "pkpass", "")
    page = answering(json={"data": [{"id": "l1", "event_name": "Gala"}]}).listings.page("", 1)
    assert (page.total, page.pages, page.items[0].available) == (None, None, 0)


def test_doubts_what_is_odd(answering):
    items = [{"listing_id": "l1", "quantity": "two", "seats": "1"}, "seat"]
    [order] = answering(json={"data": [ORDER | {"items": items}]}).orders.find("R-1")
    assert order.items[0].listing_id == "l1"
    assert order.doubts == (
        "items held what was no object",
        "items.1.quantity was no whole number",
        "items.1.seats was no list",
    )
    tickets = [{"type": "pdf"}, {"id": "t1"}]
    fulfilment = answering(json={"data": {"status": "partial", "tickets": tickets}}).fulfilments.get("s1")
    assert [ticket.id for ticket in fulfilment.tickets] == ["t1"]
    assert fulfilment.doubts == ("tickets held a row without an id",)


@pytest.mark.parametrize("odd", [None, [], {}, {"data": {}}, {"data": None}, {"data": ["x"]}, {"data": [{"id": ""}]}])
def test_takes_no_other_shape_for_found_orders(answering, odd):
    with pytest.raises(Broken):
        answering(json=odd).orders.find("R-1")


@pytest.mark.parametrize("odd", [[], {"data": []}, {"data": "x"}, {"data": {"status": "partial", "tickets": {}}}])
def test_takes_no_other_shape_for_a_fulfilment(answering, odd):
    with pytest.raises(Broken):
        answering(json=odd).fulfilments.get("s1")


def test_takes_more_than_one_order_for_what_it_is(answering):
    assert len(answering(json={"data": [ORDER, ORDER | {"id": "s2"}]}).orders.find("R-1")) == 2


def test_knows_unknown_from_broken(answering):
    assert answering(404, json={"error": "not_found", "message": "We do not know it"}).orders.find("R-1") == ()
    with pytest.raises(Broken):
        answering(404, text="<h1>Not found</h1>").orders.find("R-1")


class TestFiles:
    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ({"status": 404, "json": {"error": "Ticket not found"}}, NotFound),
            ({"status": 404, "text": "<h1>Not found</h1>"}, Broken),
            ({"status": 401, "json": {"error": "invalid_key"}}, KeyRefused),
            ({"status": 403, "json": {"error": "supplier_closed"}}, Forbidden),
            ({"status": 302, "headers": {"Location": "https://elsewhere.example.test/"}}, Broken),
            ({"status": 500}, Broken),
            ({"status": 204}, Broken),
            ({"status": 200}, Broken),
        ],
    )
    def test_says_why_there_is_none(self, answering, answer, expected):
        with pytest.raises(expected):
            answering(**answer).fulfilments.file("s1", "t1")

    def test_keeps_the_bytes_as_they_came(self, answering):
        content = bytes(range(256)) + KEY.encode()
        file = answering(content=content).fulfilments.file("s1", "t1")
        assert (file.content, file.content_type) == (content, "")

    def test_takes_ten_megabytes_and_not_more(self, answering):
        assert len(answering(content=b"x" * 10 * 1024 * 1024).fulfilments.file("s1", "t1").content) == 10485760
        with pytest.raises(Broken, match="10 MB"):
            answering(content=b"x" * (10 * 1024 * 1024 + 1)).fulfilments.file("s1", "t1")

    def test_is_not_half_a_file(self, api, fault_server):
        fault_server.on(FILE, faults.cut(faults.Answer(200, b"%PDF-" * 100)))
        with pytest.raises(Unreachable):
            api.fulfilments.file("s1", "t1")
