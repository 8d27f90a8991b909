"""The next step of an order that goes on by itself: a job in the transaction of the step before it."""

from datetime import timedelta

from servers.jobs import actions as jobs
from servers.supplier_api import rules
from servers.supplier_api.models import Order, Supplier

KIND = "supplier order"


def put(order: Order) -> None:
    """It is left out where somebody moves the order meanwhile."""
    after = timedelta(seconds=order.supplier.step_seconds)
    jobs.put(KIND, {"order": order.pk, "moves": order.history.count()}, after=after)


def put_for_open(supplier: Supplier) -> None:
    for order in supplier.orders.filter(status__in=rules.OPEN):
        put(order)
