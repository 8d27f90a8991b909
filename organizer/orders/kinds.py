"""Placing an order: the one write to a supplier."""

from datetime import datetime
from typing import Any

from organizer.orders import rules
from organizer.orders.models import Order
from organizer.sync.registry import Item, Kind, Request
from organizer.sync.rules import Json
from organizer.upstream import envelope
from organizer.upstream.errors import Broken
from organizer.upstream.supplier_api import SupplierApi, orders
from organizer.upstream.transport import Answer


class PlaceOrder(Kind):
    """`params` is the body as it is sent. A reference is one order for good, so that repeating it does no harm."""

    name = "orders.place"
    noun = "orders"
    scope = "orders"
    words = "placing"
    makes = True
    is_harmless_again = True

    def title(self, params: Json) -> str:
        return str(params.get("reference", ""))

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {"status": rules.PLACING}

    def request(self, row: Order, params: Json) -> Request:
        # POST /orders
        return Request("POST", "/orders", dict(params))

    def idempotency_key(self, row: Order) -> str:
        return orders.header(row.reference)

    def item(self, answer: Answer) -> Item | None:
        return envelope.one(answer, orders.read)

    def verify(self, item: Any, row: Order) -> None:
        """One supplier's id is one order of ours, whatever it says."""
        if item is None:
            return
        taken = Order.objects.filter(connection=row.connection_id, remote_id=item.id).exclude(pk=row.pk)
        if item.reference != row.reference or taken.exists():
            raise Broken("It answered with another order than the one that was placed.")

    def find(self, api: SupplierApi, row: Order) -> Item | None:
        items = api.orders.find(row.reference)
        match rules.found([item.reference for item in items], row.reference):
            case rules.Found.ONE:
                return items[0]
            case rules.Found.NONE:
                return None
        raise Broken("It answered with other orders than the one that was asked for.")

    def read(self, api: SupplierApi, row: Order) -> Item:
        return api.orders.get(row.remote_id or "")

    def list_of(self, row: Order) -> str:
        return ""

    def mails(self, params: Json) -> bool:
        return False
