import itertools
import json

import pytest

from organizer.upstream.limits import NoLimit
from organizer.upstream.supplier_api import SupplierApi
from organizer.upstream.transport import Transport

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def suppliers(event_server):
    """Our own supplier service with the demo's suppliers and listings."""
    event_server.seed(10)
    return event_server


@pytest.fixture
def open_api(suppliers):
    """Opens a client of a supplier: of one of the demo's, or of a new one."""

    def open_(key, *options):
        made = json.loads(suppliers.command("create_supplier", key, "--limit", "100000/10", *options))
        return client(suppliers, made["orders_key"])

    return open_


@pytest.fixture
def api(open_api):
    """Its orders wait until the worker is told to work, and then go all the way."""
    return open_api("platzwerk", "--moves", "--step", "0", "--reject-each", "0", "--notify", "")


@pytest.fixture
def work(suppliers):
    """Does what is due on the servers' side."""
    return lambda: suppliers.command("work", "--once")


@pytest.fixture
def reference():
    return f"R-{next(_numbers)} &#?/%+ ü"


@pytest.fixture
def listing(api):
    return next(found for found in api.listings.page("supper parkett", 1).items)


@pytest.fixture
def place(api, listing, reference):
    def place_(quantity=2, *, reference=reference, **changes):
        items = [{"listing_id": listing.id, "quantity": quantity}]
        customer = {"name": "Zoë O'Hara", "email": "zoe@example.test"}
        body = {"reference": reference, "items": items, "customer": customer} | changes
        return api.orders.place(body, idempotency_key=reference)

    return place_


def client(server, key):
    url = f"{server.url}/api/vendor/v1"
    return SupplierApi(Transport(url, key, bearer=True, limiter=NoLimit(), allow_private=True))
