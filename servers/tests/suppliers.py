"""Suppliers for tests, and a client that speaks with an orders key."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from servers.kit.text import fold
from servers.supplier_api.actions import suppliers
from servers.supplier_api.models import Listing, Order, Supplier
from servers.tests.conftest import Api

SOON = datetime(2035, 6, 1, 18, tzinfo=UTC)
NOTIFY = "http://127.0.0.1:9/api/webhooks/platzwerk"


class VendorApi(Api):
    base = "/api/vendor/v1"

    def credential(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"} if self.secret else {}


def supplier(key: str = "platzwerk", **fields: Any) -> Supplier:
    known = {"notify_url": NOTIFY, "limit_requests": 100_000}
    return suppliers.set_up(key=key, **known | fields)


def api_for(supplier: Supplier) -> VendorApi:
    return VendorApi(suppliers.issue(supplier=supplier).orders_key)


def listing(supplier: Supplier, **fields: Any) -> Listing:
    known = {
        "event_name": "Café Übersee",
        "starts_at": SOON,
        "section": "Parkett",
        "price": Decimal("49.50"),
        "currency": "EUR",
        "available": 10,
        "seats_a_row": 4,
    }
    row = Listing(supplier=supplier, **known | fields)
    row.search = fold(f"{row.event_name} {row.section}")
    row.save()
    return row


def wanted(*items: tuple[Listing, int], reference: str = "R-1", **customer: str) -> dict[str, Any]:
    return {
        "reference": reference,
        "items": [{"listing_id": one.pk, "quantity": quantity} for one, quantity in items],
        "customer": {"name": "Zoë O'Hara", "email": "zoe@example.test"} | customer,
    }


def order(api: VendorApi, of: Listing, quantity: int = 2, reference: str = "R-1") -> Order:
    answer = api.post("/orders", wanted((of, quantity), reference=reference))
    assert answer.status_code == 201, answer.content
    return Order.objects.get(pk=answer.json()["data"]["id"])
