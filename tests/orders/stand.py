"""A supplier that answers as told, and orders at it. What is asked of it is counted."""

import json
from collections.abc import Callable
from itertools import count
from typing import Any

from django.utils import timezone

from organizer.connections.models import Connection, Health
from organizer.orders import actions, gate, work
from organizer.orders.models import Order
from organizer.sync import actions as sync
from organizer.sync.models import Pulse
from organizer.webhooks import actions as webhooks
from organizer.webhooks.models import Action, Delivery, Outcome, Vendor
from organizer.webhooks.receiver import intake
from tests.support.faults import Answer, FaultServer, Request, says, status
from tests.support.provider import Clock

BASE = "/api/vendor/v1"
KEY = "sup_live_" + "k" * 32
WIDE = {"RateLimit-Limit": "100000", "RateLimit-Remaining": "99000", "RateLimit-Reset": "10"}
LISTING = "listing-1"
_numbers = count(1)
__all__ = ["Clock", "Connection", "Pulse", "actions", "gate", "sync", "webhooks", "work"]


class Supplier:
    """On a `FaultServer`: keeps orders as a supplier does; a test changes them, or what is said of them."""

    def __init__(self, server: FaultServer) -> None:
        self.server, self.url = server, f"{server.url}{BASE}"
        self.orders: dict[str, dict[str, Any]] = {}
        self.tickets: dict[str, list[dict[str, Any]]] = {}
        self.answer: Callable[[Request, Answer], Answer] = lambda request, usual: usual
        server.by("*", lambda request: self.answer(request, self._usual(request)))

    def has(self, reference: str, state: str = "pending", **more: Any) -> dict[str, Any]:
        """An order as it would be found."""
        number = next(_numbers)
        self.orders[reference] = {
            "id": f"sup-{number}", "reference": reference, "status": state, "currency": "EUR", "total": 50,
            "items": [{"id": f"item-{number}", "listing_id": LISTING, "quantity": 2, "section": "Stalls", "row": None,
                       "seats": []}], "rejection_reason": None,
        } | more  # fmt: skip
        return self.orders[reference]

    def moves(self, order: Order, state: str, **more: Any) -> None:
        self.orders[order.reference] |= {"status": state} | more

    def prints(self, order: Order, *tickets: dict[str, Any]) -> None:
        self.tickets[self.orders[order.reference]["id"]] = [
            {"type": "pdf", "download_url": "…"} | one for one in tickets
        ]

    def asked(self, what: str = "/orders", method: str = "GET") -> int:
        return sum(one.path.removeprefix(BASE) == what and one.method == method for one in self.server.requests)

    def _usual(self, request: Request) -> Answer:
        path = request.path.removeprefix(BASE).strip("/").split("/")
        if request.method == "POST":
            body = json.loads(request.body)
            known = self.orders.get(body["reference"]) or self.has(body["reference"])
            return says({"data": known}, status=201, headers=WIDE)
        if path == ["orders"]:
            found = self.orders.get(request.query["reference"][0])
            return says({"data": [found] if found else [], "meta": {"count": bool(found)}}, headers=WIDE)
        if path == ["listings"]:
            return says({"data": [], "meta": {"count": 0}}, headers=WIDE)
        if path[-1] == "fulfilment":
            tickets = self.tickets.get(path[1], [])
            said = "available" if len(tickets) >= 2 else "partial" if tickets else "pending"
            return says({"data": {"status": said, "expected": 2, "tickets": tickets}}, headers=WIDE)
        if path[-1] == "file":
            return Answer(200, b"%PDF-1.7 " + path[-2].encode(), WIDE | {"Content-Type": "application/pdf"})
        return status(404, "not_found")


def add_vendor(organization: Any, url: str, key: str = "", *, orders_key: str = KEY) -> Vendor:
    """One whose orders are at `url`, and that works."""
    vendor = webhooks.add_vendor(
        organization=organization, key=key or f"vendor-{next(_numbers)}", name="", auth="ip", allowed=["127.0.0.1/32"],
        by=None, orders_url=url, orders_key=orders_key,
    )  # fmt: skip
    Connection.objects.filter(pk=vendor.connection_id).update(health=Health.WORKING)
    return Vendor.objects.select_related("connection", "organization").get(pk=vendor.pk)


def place(vendor: Vendor, *, by: Any = None, quantity: int = 2, **more: Any) -> Order:
    items = [actions.Item(LISTING, quantity)]
    said = {"name": "Zoë O'Hara", "email": "zoe@example.test"} | more
    return actions.place(vendor=vendor, items=items, by=by, **said)


def placed(vendor: Vendor, **more: Any) -> Order:
    """And the supplier has it."""
    order = place(vendor, **more)
    send(vendor)
    order.refresh_from_db()
    assert order.remote_id
    return order


def send(vendor: Vendor, clock: Any = timezone.now) -> None:
    while (wait := sync.send(vendor.connection_id, now=clock)) is not None:
        if isinstance(clock, Clock):
            clock.forward(seconds=wait + 0.01)


def wake(vendor: Vendor, reference: str, number: int = 1) -> list[Delivery]:
    """As the receiver stores them."""
    made = []
    for _n in range(number):
        body = json.dumps({"reference": reference, "n": next(_numbers)}).encode()
        delivery = Delivery(
            organization_id=vendor.organization_id, vendor=vendor, dedupe_key=intake.dedupe_key("", body),
            body=body, body_hash=b"x" * 32, body_size=len(body), auth="ip", reference=reference,
            action=Action.RECONCILE, outcome=Outcome.WAITING, received_at=timezone.now(),
        )  # fmt: skip
        delivery.save()
        made.append(delivery)
    return made


def drain(vendor: Vendor, clock: Clock | None = None, **more: Any) -> float | None:
    """Waits are moments of the clock, where there is one."""
    clock = clock or Clock()
    return work.drain(vendor.pk, now=clock, sleep=lambda seconds: clock.forward(seconds=seconds), **more)


def look(vendor: Vendor, order: Order, clock: Clock | None = None) -> Order:
    """A delivery comes, and all is done about it that can be done now."""
    wake(vendor, order.reference)
    drain(vendor, clock)
    order.refresh_from_db()
    return order
