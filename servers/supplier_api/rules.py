"""Which move an order may make, and who is refused when orders move by themselves. Pure."""

from enum import StrEnum


class Status(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    FULFILLED = "fulfilled"


class Step(StrEnum):
    """What may happen to an order, as its history says it."""

    PLACED = "placed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    TICKETS = "tickets"


OPEN = (Status.PENDING, Status.ACCEPTED)
_ALLOWED = {
    Status.PENDING: (Step.ACCEPTED, Step.REJECTED, Step.CANCELLED),
    Status.ACCEPTED: (Step.TICKETS, Step.CANCELLED),
}
EVENTS = {
    Step.ACCEPTED: "order.accepted",
    Step.REJECTED: "order.rejected",
    Step.CANCELLED: "order.cancelled",
    Step.TICKETS: "delivery.available",
}
"""Our vocabulary to the retail service."""


def allowed(status: Status) -> tuple[Step, ...]:
    return _ALLOWED.get(status, ())


def fulfilment(retrievable: int, tickets: int) -> str:
    """pending, partial or available."""
    if not retrievable:
        return "pending"
    return "available" if retrievable >= tickets else "partial"


def is_refused(number: int, rejects_each: int) -> bool:
    """Whether the supplier's so-manieth order is one of those that it rejects; 0 rejects none."""
    return bool(rejects_each) and number % rejects_each == 0
