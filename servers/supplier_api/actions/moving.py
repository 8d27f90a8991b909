"""Orders that go on by themselves, so that a demo is alive: accepted or rejected, then tickets, half by half."""

from typing import Any

from servers.kit import writes
from servers.supplier_api import rules
from servers.supplier_api.actions import orders, steps
from servers.supplier_api.models import Order
from servers.supplier_api.rules import Status

REASON = "These seats were sold elsewhere a moment ago."


def go_on(payload: dict[str, Any]) -> None:
    with writes.write():
        rows = Order.objects.select_for_update(no_key=True, of=("self",)).select_related("supplier")
        order = rows.filter(pk=payload["order"]).first()
        if order is None or not order.supplier.moves or order.history.count() != payload["moves"]:
            return
        moved = _next(order)
        if moved.status in rules.OPEN:
            steps.put(moved)


def _next(order: Order) -> Order:
    match Status(order.status):
        case Status.PENDING if rules.is_refused(order.number, order.supplier.rejects_each):
            return orders.reject(order=order, reason=REASON)
        case Status.PENDING:
            return orders.accept(order=order)
        case Status.ACCEPTED:
            waiting = order.tickets.filter(retrievable_at=None).count()
            is_first = waiting == order.tickets.count()
            return orders.make_available(order=order, count=-(-waiting // 2) if is_first else waiting)
    return order
