"""What the suppliers' pages show."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Model, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils.translation import gettext_lazy as _

from servers.kit import clock
from servers.kit.ids import is_id
from servers.supplier_api import rules
from servers.supplier_api.models import Attempt, Delivery, Move, Order, OrderItem, Supplier
from servers.supplier_api.rules import Status, Step

PAGE = 50
LARGEST = 2**63 - 1
ORDER_STATES = {
    Status.PENDING: _("Pending"),
    Status.ACCEPTED: _("Accepted"),
    Status.FULFILLED: _("Fulfilled"),
    Status.REJECTED: _("Rejected"),
    Status.CANCELLED: _("Cancelled"),
}
DELIVERY_STATES = {
    Delivery.State.WAITING: _("Waiting"),
    Delivery.State.DELIVERED: _("Delivered"),
    Delivery.State.FAILED: _("Failed"),
}
STEPS = {
    Step.PLACED: _("Placed by the retail service"),
    Step.ACCEPTED: _("Accepted"),
    Step.REJECTED: _("Rejected"),
    Step.CANCELLED: _("Cancelled"),
    Step.TICKETS: _("Tickets made available"),
}


@dataclass(frozen=True)
class Filter:
    value: str
    label: Any
    count: int


@dataclass(frozen=True)
class Page:
    rows: list[Any]
    older: int | None
    """What the next page is before; None on the last one."""


def suppliers() -> QuerySet[Any]:
    """Each with how many orders are open and how many notifications have failed."""
    # two joins in one statement would multiply each other's rows
    failed = Delivery.objects.filter(supplier=OuterRef("pk"), state=Delivery.State.FAILED).order_by()
    counted = failed.values("supplier").annotate(n=Count("pk")).values("n")
    return Supplier.objects.annotate(
        open_orders=Count("orders", filter=Q(orders__status__in=rules.OPEN)),
        last_order=Max("orders__created_at"),
        failed=Subquery(counted),
    ).order_by("name")


def orders(supplier: Supplier, *, status: str, before: str) -> Page:
    """Newest first. A filter or a place that does not exist is as if it were not given."""
    rows = supplier.orders.annotate(tickets_wanted=Subquery(_quantity())).order_by("-number")
    if status in ORDER_STATES:
        rows = rows.filter(status=status)
    return _page(rows, "number", before)


def order(supplier: Supplier, order_id: str) -> Order | None:
    whole = supplier.orders.prefetch_related("items", "tickets", "history")
    return whole.filter(pk=order_id).first() if is_id(order_id) else None


def deliveries(of: QuerySet[Delivery], *, state: str = "", before: str = "") -> Page:
    """Each with what its last attempt came to."""
    last = Attempt.objects.filter(delivery=OuterRef("pk")).order_by("-pk")
    rows = of.select_related("order").order_by("-pk")
    rows = rows.annotate(last_status=Subquery(last.values("status")[:1]), last_error=Subquery(last.values("error")[:1]))
    if state in DELIVERY_STATES:
        rows = rows.filter(state=state)
    return _page(rows, "pk", before)


def filters(of: QuerySet[Any], field: str, states: Mapping[Any, Any]) -> list[Filter]:
    counts = dict(of.order_by().values_list(field).annotate(Count("pk")))
    one_each = [Filter(state.value, label, counts.get(state, 0)) for state, label in states.items()]
    return [Filter("", _("All"), sum(counts.values())), *one_each]


def history(of: Order) -> list[tuple[Move, Any]]:
    return [(move, STEPS[Step(move.step)]) for move in of.history.all()]


def attempts(of: Delivery) -> list[tuple[Attempt, str]]:
    """Each with what it is: answered, failed, under way or cut off."""
    given_up = clock.now() - timedelta(seconds=settings.JOB_LEASE)
    found = list(of.attempts.all())
    return [(one, _kind(one, is_last=one is found[-1], given_up=one.began_at < given_up)) for one in found]


def _kind(one: Attempt, *, is_last: bool, given_up: bool) -> str:
    if one.milliseconds is None:
        return "under way" if is_last and not given_up else "cut off"
    return "answered" if one.status else "failed"


def _quantity() -> QuerySet[Any]:
    items = OrderItem.objects.filter(order=OuterRef("pk")).order_by()
    return items.values("order").annotate(n=Sum("quantity")).values("n")


def _page(rows: QuerySet[Any], field: str, before: str) -> Page:
    if before.isascii() and before.isdecimal() and int(before[:20]) <= LARGEST:
        rows = rows.filter(**{f"{field}__lt": int(before[:20])})
    found: list[Model] = list(rows[: PAGE + 1])
    return Page(found[:PAGE], getattr(found[PAGE - 1], field) if len(found) > PAGE else None)
