"""What the worker does for one supplier, and which suppliers want something done."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from organizer.connections import clients
from organizer.connections.models import Health
from organizer.kit.slices import delete
from organizer.orders import bulks, gate, rules, wakes
from organizer.orders.models import Gate, ListingSearch, Order, ShopAnswer, Ticket, Wake
from organizer.orders.reconciling import Reconciler
from organizer.upstream.limits import Lane
from organizer.upstream.supplier_api import SupplierApi
from organizer.webhooks import settling as deliveries
from organizer.webhooks.models import Reconciliation, Vendor

SECONDS_A_TASK = 20.0
TIMEOUT = 10.0
"""Seconds of silence after which a supplier is taken for gone."""
MANY = 3
KEPT = timedelta(days=90)
SEARCHES_KEPT = timedelta(minutes=30)
ANSWERS_KEPT = timedelta(hours=24)


def drain(
    vendor_id: Any,
    *,
    seconds: float = SECONDS_A_TASK,
    now: Callable[[], datetime] = timezone.now,
    sleep: Callable[[float], None] = time.sleep,
    call_help: Callable[[], None] = lambda: None,
) -> float | None:
    """Until nothing is left that may be done now; 0.0 where the time is over and there is more, None where not."""
    vendor = Vendor.objects.select_related("connection").filter(pk=vendor_id).first()
    if vendor is None:
        return None
    deadline, helped = now() + timedelta(seconds=seconds), False
    with ExitStack() as opened:

        @cache
        def open_api() -> SupplierApi:
            assert vendor  # noqa: S101 for mypy
            assert vendor.connection  # noqa: S101
            return opened.enter_context(clients.supplier_api(vendor.connection, Lane.BULK, 1.0, TIMEOUT))

        mine = Reconciler(vendor, open_api, opened.enter_context(wakes.holder()), now, sleep)
        while now() < deadline:
            if not mine.step():
                return _soon(vendor, now())
            # by who had a hand free: a helper that found none must not call the next
            if not helped and wakes.due(now()).filter(vendor=vendor)[:MANY].count() == MANY:
                helped = True
                call_help()
    return 0.0


def _soon(vendor: Vendor, now: datetime) -> float | None:
    """What is about to be due is waited for by who saw it; for the rest the schedule comes."""
    if not gate.is_open(gate.of(vendor, now), now):
        return None
    coming = Wake.objects.filter(vendor=vendor, holder="", next_at__gt=now, next_at__lte=now + rules.SLOT)
    at = coming.order_by("next_at").values_list("next_at", flat=True).first()
    return max((at - now).total_seconds(), 0.1) if at else None


def with_wakes(now: datetime) -> list[Any]:
    """Suppliers of which something waits that was delivered, asked for, or is to be tried again."""
    found = dict.fromkeys(deliveries.with_waiting().values_list("pk", flat=True))
    found |= dict.fromkeys(wakes.due(now).values_list("vendor", flat=True).distinct())
    found |= dict.fromkeys(bulks.with_open())
    found |= dict.fromkeys(Ticket.objects.filter(next_at__lte=now).values_list("order__vendor", flat=True).distinct())
    return [vendor for vendor in found if vendor not in set(_resting(now).values_list("vendor", flat=True))]


def with_due(now: datetime) -> list[Any]:
    """Suppliers of which the schedule wants orders looked at."""
    due = Order.objects.filter(vendor=OuterRef("pk")).filter(Q(state_due_at__lte=now) | Q(fulfilment_due_at__lte=now))
    resting = Exists(_resting(now).filter(vendor=OuterRef("pk")))
    askable = Vendor.objects.filter(connection__live=True).exclude(connection__health=Health.KEY_REFUSED)
    return list(askable.filter(Exists(due)).exclude(resting).values_list("pk", flat=True))


def _resting(now: datetime) -> QuerySet[Gate]:
    return Gate.objects.filter(gate.rests(now))


def forget(now: datetime) -> None:
    """What is old is deleted slice by slice."""
    delete(Reconciliation.objects.filter(finished_at__lt=now - KEPT))
    delete(ShopAnswer.objects.filter(at__lt=now - ANSWERS_KEPT))
    bulks.forget(now)
    delete(ListingSearch.objects.filter(asked_at__lt=now - SEARCHES_KEPT))
