"""How an order stands, which moves are expected of it, when it is looked at again, and why that is late. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from organizer.sync.rules import Json, money, text

PLACING, PENDING, ACCEPTED, FULFILLED = "placing", "pending", "accepted", "fulfilled"
REJECTED, CANCELLED, FAILED = "rejected", "cancelled", "failed"
FINAL = (FULFILLED, REJECTED, CANCELLED, FAILED)
STATE_LENGTH = 30

_NEXT = {
    "": {PLACING},
    PLACING: {PENDING, ACCEPTED, REJECTED, FAILED},  # a quick supplier has decided before its answer is read
    PENDING: {ACCEPTED, REJECTED, CANCELLED},
    ACCEPTED: {FULFILLED, CANCELLED},
    FAILED: {PLACING},  # sent again
}
_PASSES_BY = {(PLACING, FULFILLED), (PLACING, CANCELLED), (PENDING, FULFILLED)}
"""Two moves between two looks are no surprise."""

# what other suppliers call the same
_WORDS = {
    "pending_review": PENDING, "pending review": PENDING, "on_hold": PENDING,
    "approved": ACCEPTED, "confirmed": ACCEPTED, "canceled": CANCELLED, "expired": CANCELLED,
}  # fmt: skip


@dataclass(frozen=True)
class OrderColumns:
    state: str
    currency: str
    total: Decimal
    rejection_reason: str


def effective(payload: Json, commands: Iterable[Json] = ()) -> OrderColumns:
    """What the supplier answered. Before it did, an order is being placed as long as its command is open."""
    return OrderColumns(
        state=state_of(payload.get("status")) if payload else (PLACING if list(commands) else FAILED),
        currency=text(payload.get("currency"), 10).upper(),
        total=money(payload.get("total")),
        rejection_reason=text(payload.get("rejection_reason"), 500),
    )


def state_of(status: Any) -> str:
    """A word that nobody knows is kept, and the order open."""
    word = text(status, STATE_LENGTH).lower()
    return _WORDS.get(word, word) or PENDING


def is_expected(before: str, after: str) -> bool:
    return after in _NEXT.get(before, ()) or (before, after) in _PASSES_BY


# --- when ---

STATE_EVERY, FULFILMENT_EVERY = timedelta(hours=1), timedelta(minutes=10)
SLOT = timedelta(seconds=10)
"""The schedule looks so often for what is due."""
EARLY_FROM, EARLY_TO = 0.05, 0.15
"""A check comes by this share of its time too early, so that what began together does not stay together."""
AGAIN_SOON = timedelta(seconds=60)
RETRIES = (timedelta(seconds=10), timedelta(seconds=60), timedelta(minutes=5))
"""After these a delivery waits for the periodic check."""


def next_check(now: datetime, every: timedelta, luck: float) -> datetime:
    return now + every * (1 - EARLY_FROM - (EARLY_TO - EARLY_FROM) * luck)


def first_check(now: datetime, every: timedelta, luck: float) -> datetime:
    return now + every * (1 - EARLY_TO) * (0.5 + luck / 2)


def retry(tries: int, now: datetime, luck: float) -> datetime | None:
    """When a delivery's order is looked at again, after `tries` that failed; None: no more for its sake."""
    return now + RETRIES[tries - 1] * (0.85 + 0.3 * luck) if tries <= len(RETRIES) else None


# --- what an answer comes to ---


class Found(StrEnum):
    ONE = "one"
    NONE = "none"
    OTHER = "other"
    SEVERAL = "several"


def found(references: Sequence[str], wanted: str) -> Found:
    """`references` of the orders that the supplier answered with, asked for `wanted`."""
    if not references:
        return Found.NONE
    if len(references) > 1:
        return Found.SEVERAL
    return Found.ONE if references[0] == wanted else Found.OTHER


def differences(before: Json, after: Json) -> tuple[dict[str, Any], dict[str, Any]]:
    names = [name for name in after if before.get(name) != after[name]]
    return {name: before.get(name) for name in names}, {name: after[name] for name in names}


# --- why it is late ---


class Why(StrEnum):
    NOT_CONNECTED = "not_connected"
    KEY_REFUSED = "key_refused"
    RESTS = "rests"  # it failed often: it is asked once a minute
    FAILS = "fails"
    ODD_ANSWER = "odd_answer"
    SLOW = "slow"
    BUDGET = "budget"
    NO_WORKER = "no_worker"


@dataclass(frozen=True)
class Standing:
    """What is known of a supplier when an order of it is late."""

    connected: bool
    key_refused: bool
    rests: bool
    failures: int
    slow: bool
    worker: bool


def is_late(*, read_at: datetime, due_at: datetime | None, every: timedelta, now: datetime) -> bool:
    return due_at is not None and now - read_at > every + SLOT


def why_late(standing: Standing, problem: str) -> Why:
    """`problem` is the order's own: what its last check came to."""
    if not standing.connected:
        return Why.NOT_CONNECTED
    if standing.key_refused:
        return Why.KEY_REFUSED
    if not standing.worker:
        return Why.NO_WORKER
    if standing.rests:
        return Why.RESTS
    if standing.failures:
        return Why.FAILS
    if problem:
        return Why.ODD_ANSWER
    return Why.SLOW if standing.slow else Why.BUDGET
