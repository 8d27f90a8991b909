import json
from itertools import count

import pytest

from organizer.orders.models import Order
from organizer.webhooks.models import Vendor
from tests.orders import stand
from tests.orders.stand import Supplier
from tests.support.provider import Clock

_numbers = count(1)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def supplier(fault_server) -> Supplier:
    return Supplier(fault_server)


@pytest.fixture
def vendor(cast, supplier) -> Vendor:
    return stand.add_vendor(cast.organization, supplier.url)


@pytest.fixture
def order(vendor) -> Order:
    return stand.placed(vendor)


@pytest.fixture(scope="session")
def suppliers(event_server):
    """Our own supplier service with the demo's listings."""
    event_server.seed(10)
    return event_server


@pytest.fixture
def real(cast, suppliers):
    """A vendor at our own supplier service; its orders move when `work` is called."""
    made = json.loads(
        suppliers.command(
            "create_supplier", "platzwerk", "--limit", "100000/10", "--moves", "--step", "0", "--reject-each", "0",
            "--notify", "",
        )
    )  # fmt: skip
    url = f"{suppliers.url}{stand.BASE}"
    return stand.add_vendor(cast.organization, url, f"platzwerk-{next(_numbers)}", orders_key=made["orders_key"])


@pytest.fixture
def work(suppliers):
    return lambda: suppliers.command("work", "--once")
