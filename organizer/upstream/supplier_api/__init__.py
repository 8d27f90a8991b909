"""The API of a ticket supplier, noun by noun. Its contract is `/api/vendor/v1/openapi.json` of our own.

A supplier takes its key as `Authorization: Bearer`: its transport is made with `bearer=True`.
"""

from organizer.upstream.supplier_api.fulfilments import Fulfilment, Fulfilments, Ticket
from organizer.upstream.supplier_api.listings import Listing, Listings
from organizer.upstream.supplier_api.orders import Order, OrderItem, Orders
from organizer.upstream.transport import Answer, File, Transport

__all__ = ["File", "Fulfilment", "Listing", "Order", "OrderItem", "SupplierApi", "Ticket"]


class SupplierApi:
    def __init__(self, transport: Transport) -> None:
        self.listings = Listings(transport)
        self.orders = Orders(transport)
        self.fulfilments = Fulfilments(transport)
        self._transport = transport

    def send(self, method: str, path: str, body: bytes | None, *, scope: str, idempotency_key: str) -> Answer:
        """A write that was worded before, byte for byte; `path` is below the API's address."""
        return self._transport.request(method, path, scope=scope, body=body, idempotency_key=idempotency_key)
