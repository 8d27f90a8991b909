"""How fast a supplier is asked: five requests a second, two at once; after failures in a row it rests for a minute.

Kept in the database, so that all processes together keep to it. `sync`'s limiter counts what its key allows beside it.
"""

from datetime import datetime, timedelta

from django.db.models import F, Q

from organizer.orders.models import Gate
from organizer.webhooks.models import Vendor

APART = timedelta(seconds=0.2)
FURTHEST = timedelta(seconds=30)
"""No turn is so far away, unless the clock was set back."""
AT_ONCE = 2
FAILURES_BEFORE_REST = 5
REST = timedelta(seconds=60)
SLOW = 0.4
"""Seconds of an answer with which two at once do not reach five a second."""
SLOW_FOR = timedelta(minutes=10)


class Closed(Exception):
    """Nobody is asked until `until`."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"rests until {until}")
        self.until = until


def of(vendor: Vendor, now: datetime) -> Gate:
    gate, _made = Gate.objects.get_or_create(vendor=vendor, defaults={"slot_at": now})
    return gate


def is_open(gate: Gate, now: datetime) -> bool:
    """A rest that ends later than any rest does was begun before the clock was set back."""
    return gate.rests_until is None or not now < gate.rests_until <= now + 2 * REST


def rests(now: datetime) -> Q:
    """As `is_open` says of each."""
    return Q(rests_until__gt=now, rests_until__lte=now + 2 * REST)


def hands(gate: Gate) -> int:
    """Who fails is asked by one alone: it may keep nobody else waiting."""
    return 1 if gate.failures else AT_ONCE


def for_schedule(gate: Gate, now: datetime) -> int:
    """A quick supplier is asked as fast as it may be by one alone; the other is there for who is woken meanwhile."""
    return AT_ONCE if gate.slow_until and gate.slow_until > now else 1


def take(vendor: Vendor, now: datetime) -> tuple[Gate, float]:
    """A turn to ask, in so many seconds. After a rest only one has it, and the others wait for what comes of it.

    Raises `Closed`.
    """
    while True:
        gate = of(vendor, now)
        if not is_open(gate, now):
            raise Closed(gate.rests_until or now)
        at = gate.slot_at if now < gate.slot_at <= now + FURTHEST else now
        changes = {"slot_at": at + APART}
        if gate.failures >= FAILURES_BEFORE_REST:
            changes["rests_until"] = now + REST
        same = Gate.objects.filter(pk=gate.pk, slot_at=gate.slot_at, rests_until=gate.rests_until)
        if same.update(**changes):
            return gate, (at - now).total_seconds()


def worked(gate: Gate, took: float, now: datetime) -> None:
    """`gate` as it was when the turn was taken: where it stood open nothing is written."""
    if gate.failures or gate.rests_until:
        Gate.objects.filter(pk=gate.pk).update(failures=0, rests_until=None, problem="")
    if took > SLOW and (gate.slow_until is None or gate.slow_until < now + SLOW_FOR / 2):
        Gate.objects.filter(pk=gate.pk).update(slow_until=now + SLOW_FOR)


def failed(vendor: Vendor, problem: str, now: datetime) -> None:
    Gate.objects.filter(vendor=vendor).update(failures=F("failures") + 1, problem=problem)
    tired = Gate.objects.filter(vendor=vendor, failures__gte=FAILURES_BEFORE_REST)
    tired.update(rests_until=now + REST)
