"""Who wants to know how an order stands, one entry an order; claimed by compare-and-set, for as long as a lease."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from organizer.orders.models import Order, Ticket, Wake
from organizer.sync import leases
from organizer.webhooks.models import Cause, Delivery, Outcome, Vendor

LEASE = timedelta(seconds=120)
"""Outlives two requests, each of which ends within 45 s."""
A_SLICE = 200
AHEAD = 50
"""So many of the schedule's checks are lined up: what a slot's budget allows."""
CANDIDATES = 5
RANKS = {Cause.PERSON: 0, Cause.WEBHOOK: 1, Cause.PERIODIC: 2}


def ask(vendor_id: Any, reference: str, cause: Cause, *, by_name: str = "", now: datetime | None = None) -> None:
    """It is looked at next, even if it waited to be tried again. What is being looked at is looked at once more."""
    now = now or timezone.now()
    wake, made = Wake.objects.get_or_create(
        vendor_id=vendor_id, reference=reference,
        defaults={"cause": cause, "rank": RANKS[cause], "by_name": by_name, "next_at": now},
    )  # fmt: skip
    if not made:
        asked = {"cause": cause, "rank": RANKS[cause], "by_name": by_name, "next_at": now}
        Wake.objects.filter(pk=wake.pk).update(**asked)


def gather_deliveries(vendor: Vendor, now: datetime) -> int:
    """All that wait for one order are answered by one look. How many orders are woken."""
    known = Wake.objects.filter(vendor=vendor, reference=OuterRef("reference"))
    waiting = Delivery.objects.filter(vendor=vendor, outcome=Outcome.WAITING)
    found = list(waiting.exclude(Exists(known)).values_list("reference", flat=True).distinct()[:A_SLICE])
    make(vendor, found, Cause.WEBHOOK, now)
    return len(found)


def gather_tickets(vendor: Vendor, now: datetime) -> int:
    """Orders with files that are to be fetched."""
    known = Exists(Wake.objects.filter(vendor=vendor, reference=OuterRef("order__reference")))
    waiting = Ticket.objects.filter(order__vendor=vendor, next_at__lte=now).exclude(known)
    references = list(waiting.order_by("next_at").values_list("order__reference", flat=True)[:AHEAD])
    make(vendor, dict.fromkeys(references), Cause.PERIODIC, now, rank=RANKS[Cause.WEBHOOK])
    return len(references)


def gather_due(vendor: Vendor, now: datetime) -> int:
    """What the schedule wants: the longest due first, and no more than can be asked soon."""
    lined_up = Wake.objects.filter(vendor=vendor, rank=RANKS[Cause.PERIODIC], in_bulk=False).count()
    room = AHEAD - lined_up
    if room <= 0:
        return 0
    known = Exists(Wake.objects.filter(vendor=vendor, reference=OuterRef("reference")))
    found: dict[str, None] = {}
    for name in ("state_due_at", "fulfilment_due_at"):
        due = Order.objects.filter(vendor=vendor, **{f"{name}__lte": now}).exclude(known)
        found |= dict.fromkeys(due.order_by(name).values_list("reference", flat=True)[:room])
    make(vendor, list(found)[:room], Cause.PERIODIC, now)
    return len(found)


def claim(vendor: Vendor, holder: str, now: datetime, *, hands: int) -> Wake | None:
    if Wake.objects.filter(vendor=vendor, until__gte=now).exclude(holder="").count() >= hands:
        return None
    for wake in due(now).filter(vendor=vendor).order_by("rank", "next_at", "pk")[:CANDIDATES]:
        free = due(now).filter(pk=wake.pk, next_at=wake.next_at, rank=wake.rank)
        if free.update(holder=holder, until=now + LEASE):
            wake.holder = holder
            return wake
    return None


def due(now: datetime) -> QuerySet[Wake]:
    return Wake.objects.filter(Q(holder="") | Q(until__lt=now), next_at__lte=now)


def mine(wake: Wake) -> QuerySet[Wake]:
    """None where the lease was lost: whoever has it writes."""
    return Wake.objects.filter(pk=wake.pk, holder=wake.holder)


def renew(wake: Wake, now: datetime) -> bool:
    return bool(mine(wake).update(until=now + LEASE))


def release(wake: Wake, next_at: datetime, **changes: Any) -> None:
    mine(wake).update(holder="", until=None, next_at=next_at, **changes)


def recover(now: datetime) -> int:
    """Frees what processes of this machine held that are no more."""
    held = Wake.objects.exclude(holder="")
    dead = [holder for holder in held.values_list("holder", flat=True).distinct() if leases.is_dead(holder)]
    return held.filter(holder__in=dead).update(holder="", until=None, next_at=now) if dead else 0


def is_tried_again(wake: Wake) -> bool:
    """For what only waits its turn there is another time anyway, or a person who sees that it failed."""
    return wake.cause != Cause.PERIODIC and wake.rank != RANKS[Cause.PERIODIC]


def make(
    vendor: Vendor, references: Iterable[str], cause: Cause, now: datetime, *, rank: int | None = None, **more: Any
) -> None:
    Wake.objects.bulk_create(
        [
            Wake(vendor=vendor, reference=reference, cause=cause, rank=rank or RANKS[cause], next_at=now, **more)
            for reference in references
        ],
        ignore_conflicts=True,
    )
