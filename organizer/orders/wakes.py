"""Who wants to know how an order stands, one entry an order; claimed by compare-and-set, for as long as a lease."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from organizer.orders.models import Gate, Order, Ticket, Wake
from organizer.sync import leases
from organizer.webhooks.models import Cause, Delivery, Outcome, Vendor

LEASE = timedelta(seconds=120)
"""Outlives two requests, each of which ends within 45 s."""
LONGEST_WAIT = timedelta(minutes=6)
"""Of an order that is to be looked at again; what forbids it for longer is asked again then."""
A_SLICE = 200
AHEAD = 50
"""So many of the schedule's checks are lined up: what a slot's budget allows."""
CANDIDATES = 5
_at_work: set[str] = set()
RANKS = {Cause.PERSON: 0, Cause.WEBHOOK: 1, Cause.PERIODIC: 2}


def ask(vendor_id: Any, reference: str, cause: Cause, *, by_name: str = "", now: datetime | None = None) -> None:
    """It is looked at next, even if it waited to be tried again. What is being looked at is looked at once more."""
    now = now or timezone.now()
    asked = {"cause": cause, "rank": RANKS[cause], "by_name": by_name, "next_at": now}
    while True:
        wake, made = Wake.objects.get_or_create(vendor_id=vendor_id, reference=reference, defaults=asked)
        if made or Wake.objects.filter(pk=wake.pk).update(**asked):
            return
        # what it was is over since it was read: a look that began before is no answer to who asks now


def gather_deliveries(vendor: Vendor, now: datetime) -> int:
    """All that wait for one order are answered by one look. How many orders are woken."""
    known = Wake.objects.filter(vendor=vendor, reference=OuterRef("reference"))
    waiting = Delivery.objects.filter(vendor=vendor, outcome=Outcome.WAITING)
    overtaken = Wake.objects.filter(
        Q(cause=Cause.PERIODIC) | Q(rank=RANKS[Cause.PERIODIC]),
        Exists(waiting.filter(reference=OuterRef("reference"))), vendor=vendor, holder="",
    )  # fmt: skip
    if overtaken.exists():  # the schedule's turn would ask for less, and later
        overtaken.update(cause=Cause.WEBHOOK, rank=RANKS[Cause.WEBHOOK])
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


def claim(vendor: Vendor, holder: str, now: datetime, *, hands: int, for_schedule: int) -> Wake | None:
    """One claims at a time for a supplier, so that no more are at it than `hands`.

    `for_schedule`: so many of them may be the schedule's; who is woken finds another one free.
    """
    with transaction.atomic():
        Gate.objects.select_for_update().filter(vendor=vendor).first()
        busy = Wake.objects.filter(vendor=vendor, until__gte=now).exclude(holder="").count()
        if busy >= hands:
            return None
        mine = due(now).filter(vendor=vendor)
        if busy >= for_schedule:
            mine = mine.filter(rank__lt=RANKS[Cause.PERIODIC])
        for wake in mine.order_by("rank", "next_at", "pk")[:CANDIDATES]:
            free = due(now).filter(pk=wake.pk, next_at=wake.next_at, rank=wake.rank)
            if free.update(holder=holder, until=now + LEASE):
                wake.holder = holder
                return wake
        return None


def due(now: datetime) -> QuerySet[Wake]:
    return Wake.objects.filter(Q(holder="") | Q(until__lt=now), next_at__lte=now)


def set_right(now: datetime) -> None:
    """After the clock was set back: leases and waits that would outlast every real one."""
    held = Wake.objects.filter(until__gt=now + 2 * LEASE)
    if held.exists():
        held.update(holder="", until=None)
    waiting = Wake.objects.filter(next_at__gt=now + LONGEST_WAIT)
    if waiting.exists():
        waiting.update(next_at=now)


def mine(wake: Wake) -> QuerySet[Wake]:
    """None where the lease was lost: whoever has it writes."""
    return Wake.objects.filter(pk=wake.pk, holder=wake.holder)


def renew(wake: Wake, now: datetime) -> bool:
    return bool(mine(wake).update(until=now + LEASE))


def release(wake: Wake, next_at: datetime, **changes: Any) -> None:
    mine(wake).update(holder="", until=None, next_at=next_at, **changes)


@contextmanager
def holder() -> Iterator[str]:
    """A name to claim by, inside the block."""
    name = leases.new_holder()
    _at_work.add(name)
    try:
        yield name
    finally:
        _at_work.discard(name)


def recover(now: datetime) -> int:
    """Frees what processes of this machine held that are no more, and what this one lost its grip on.

    Where the database goes away in the middle of a look nobody can release it.
    """
    held = Wake.objects.exclude(holder="")
    dead = [
        holder
        for holder in held.values_list("holder", flat=True).distinct()
        if leases.is_dead(holder) or (leases.is_of_this_process(holder) and holder not in _at_work)
    ]
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
