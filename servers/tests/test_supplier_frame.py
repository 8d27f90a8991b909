"""What holds for every request to a supplier: who asks, how often, and the shape of a refusal."""

from datetime import timedelta

import pytest

from servers.kit import clock
from servers.kit.logs import redact
from servers.supplier_api import api as supplier_api
from servers.supplier_api import housekeeping
from servers.supplier_api.actions import orders
from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.models import RateWindow, SupplierKey
from servers.tests import suppliers
from servers.tests.asserts import assert_refused
from servers.tests.conftest import api_for as event_api_for
from servers.tests.suppliers import VendorApi

pytestmark = pytest.mark.django_db
HEADERS = ("X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
OPERATIONS = [
    ("GET", "/listings"),
    ("GET", "/orders?reference=R-1"),
    ("POST", "/orders"),
    ("GET", "/orders/{order_id}"),
    ("GET", "/orders/{order_id}/fulfilment"),
    ("GET", "/orders/{order_id}/tickets/{ticket_id}/file"),
]


@pytest.fixture
def supplier(db):
    return suppliers.supplier()


@pytest.fixture
def api(supplier):
    return suppliers.api_for(supplier)


def test_lists_every_operation_here():
    paths = supplier_api.api.get_openapi_schema()["paths"]
    documented = {
        (method.upper(), path.removeprefix("/api/vendor/v1")) for path, methods in paths.items() for method in methods
    }
    assert documented == {(method, path.partition("?")[0]) for method, path in OPERATIONS}


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
class TestEveryOperation:
    def test_needs_a_key(self, supplier, method, path):
        path = path.format(order_id="a" * 20, ticket_id="b" * 20)
        assert_refused(VendorApi(None).call(method, path), 401, "missing_key")
        assert_refused(VendorApi("sup_live_unknown").call(method, path), 401, "invalid_key")

    def test_takes_no_key_of_the_event_api(self, organization, method, path):
        path = path.format(order_id="a" * 20, ticket_id="b" * 20)
        other = event_api_for(organization)
        assert_refused(VendorApi(other.secret).call(method, path), 401, "invalid_key")

    def test_is_closed_with_its_supplier(self, api, supplier, method, path):
        actions.change(supplier=supplier, is_open=False)
        path = path.format(order_id="a" * 20, ticket_id="b" * 20)
        assert_refused(api.call(method, path), 403, "supplier_closed")

    def test_finds_nothing_of_another_supplier(self, api, method, path):
        stranger = suppliers.supplier("abendkasse")
        theirs = suppliers.order(suppliers.api_for(stranger), suppliers.listing(stranger), 1)
        orders.accept(order=theirs)
        orders.make_available(order=theirs, count=1)
        ids = {"order_id": theirs.pk, "ticket_id": theirs.tickets.get().pk}
        answer = api.call(method, path.format(**ids))
        if "{" in path:
            assert_refused(answer, 404, "Order not found")
        elif method == "GET":
            assert answer.json()["data"] == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/listings", 200),
        ("GET", "/listings?page=0", 400),
        ("GET", "/orders", 400),
        ("GET", "/orders/nothing", 404),
        ("GET", "/no/such/route", 404),
        ("PUT", "/orders", 405),
        ("POST", "/orders", 400),
        ("GET", "/openapi.json", 200),
    ],
)
def test_names_the_request_and_the_limit_on_every_status(api, method, path, status):
    response = api.call(method, path)
    assert response.status_code == status, response.content
    assert all(header in response for header in HEADERS)
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"


def test_counts_each_key_by_itself(supplier):
    actions.change(supplier=supplier, limit_requests=2)
    api, other = suppliers.api_for(supplier), suppliers.api_for(supplier)
    assert [api.get("/listings").status_code for _ in range(3)] == [200, 200, 429]
    refused = api.get("/listings")
    assert_refused(refused, 429, "rate_limit_exceeded")
    assert 1 <= int(refused["Retry-After"]) <= supplier.limit_seconds
    assert other.get("/listings").status_code == 200


def test_counts_apart_from_the_event_api(api, organization):
    assert event_api_for(organization).get("/events").status_code == 200
    assert api.get("/listings").status_code == 200
    assert RateWindow.objects.count() == 1


def test_refuses_a_revoked_key(api, supplier):
    actions.revoke(key=SupplierKey.objects.get())
    assert_refused(api.get("/listings"), 401, "invalid_key")


def test_keeps_a_key_as_a_hash_and_a_secret_sealed(supplier):
    made = actions.issue(supplier=supplier)
    row = SupplierKey.objects.get()
    assert made.orders_key not in str(vars(row))
    assert made.secret.encode() not in bytes(supplier.sealed_secret)
    assert actions.secret_of(supplier) == made.secret
    other = suppliers.supplier("abendkasse")
    other.sealed_secret = supplier.sealed_secret
    with pytest.raises(Exception, match="does not open"):
        actions.secret_of(other)


def test_opens_a_secret_after_the_servers_own_was_changed(supplier, settings):
    secret = actions.issue(supplier=supplier).secret
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another"
    assert actions.secret_of(supplier) == secret


def test_writes_no_key_into_a_log(supplier):
    made = actions.issue(supplier=supplier)
    assert redact(f"{made.orders_key} {made.secret}") == "sup_live_… whsec_…"


def test_forgets_addresses_after_an_hour(supplier):
    VendorApi(None).get("/listings")
    housekeeping.clean_up()
    assert RateWindow.objects.count() == 1
    later = clock.now() + timedelta(hours=2)
    with clock.handed_in(lambda: later):
        housekeeping.clean_up()
    assert not RateWindow.objects.exists()
