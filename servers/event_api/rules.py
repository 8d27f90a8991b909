"""Which move an attendee may make. Pure: statuses in, a verdict out."""

from enum import StrEnum


class Status(StrEnum):
    INVITED = "invited"
    PENDING = "pending_approval"
    VALID = "valid"
    CHECKED_IN = "checked_in"
    REJECTED = "rejected"
    DELETED = "deleted"


SOLD = (Status.VALID, Status.CHECKED_IN)
"""The statuses that take a seat."""
TARGETS = (Status.VALID, Status.CHECKED_IN, Status.PENDING, Status.REJECTED, Status.DELETED)
"""What an update may ask for."""


class Refused(Exception):
    """Could not move the attendee. The text is the reason, as the contract words it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Gone(Exception):
    """A deleted attendee is found by no move but its own deletion."""


ONLY_PENDING = "Only a pending ticket can be rejected"
_REASONS: dict[tuple[Status, Status], str] = {
    (Status.INVITED, Status.PENDING): "An invited ticket is not waiting for approval",
    (Status.INVITED, Status.REJECTED): ONLY_PENDING,
    (Status.VALID, Status.REJECTED): ONLY_PENDING,
    (Status.CHECKED_IN, Status.PENDING): "A checked-in ticket cannot return to the queue",
    (Status.CHECKED_IN, Status.REJECTED): ONLY_PENDING,
    (Status.REJECTED, Status.VALID): "A rejected ticket cannot be approved",
    (Status.REJECTED, Status.CHECKED_IN): "This ticket was rejected",
    (Status.REJECTED, Status.PENDING): "A rejected ticket cannot return to the queue",
}
UPGRADE_CANCELLED = "The pending upgrade was cancelled"
CLASS_SOLD_OUT = "This ticket class is sold out"
EVENT_FULL = "This event is full"


def changes(current: Status, target: Status) -> bool:
    """Whether the move changes anything; False for a move to where the attendee already is.

    Raises Refused or Gone where the move is not to be had.
    """
    if current == target:
        return False
    if current == Status.DELETED:
        raise Gone
    if reason := _REASONS.get((current, target)):
        raise Refused(reason)
    return True


def needs_seat(current: Status, target: Status) -> bool:
    """Whether the move is an approval, which may not exceed the seats; undoing a check-in is not."""
    return target == Status.VALID and current in (Status.INVITED, Status.PENDING)


def check_seats(*, class_total: int, class_sold: int, event_total: int, event_sold: int, wanted: int = 1) -> None:
    """Raises Refused where fewer seats are left than wanted. A total of 0 is no limit."""
    if class_total and class_sold + wanted > class_total:
        raise Refused(CLASS_SOLD_OUT)
    if event_total and event_sold + wanted > event_total:
        raise Refused(EVENT_FULL)
