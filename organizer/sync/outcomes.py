"""What an answer means for the command that asked: the outbox's table (docs/outbox.md), row by row. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from organizer.sync.rules import wait_after
from organizer.upstream.errors import (
    AddressRefused,
    Broken,
    Forbidden,
    InProgress,
    KeyRefused,
    Limited,
    NotFound,
    NotYet,
    Refused,
    ScopeMissing,
    Unreachable,
    UpstreamError,
)

SAME_KEY_FOR = timedelta(hours=23)
"""The API keeps an idempotency key for 24 h."""
IN_PROGRESS_AGAIN = 1.0
NO_LONGER_FOUND = "It is no longer found at the provider."


class Then(StrEnum):
    DONE = "done"
    REFUSED = "refused"
    LATER = "later"  # nothing was done: the same again, and it was no attempt
    UNKNOWN = "unknown"  # it may have been done: the same key again


@dataclass(frozen=True)
class Outcome:
    then: Then
    wait: float = 0.0
    reason: str = ""
    status: int | None = None
    answer: Mapping[str, Any] = field(default_factory=dict)


def outcome(error: UpstreamError | None, *, attempts: int, luck: float) -> Outcome:
    """`attempts` counts those before this one whose outcome is unknown; `luck` in [0, 1) spreads the next tries."""
    match error:
        case None:
            return Outcome(Then.DONE)
        case NotYet() | Limited():
            return Outcome(Then.LATER, wait=error.wait)
        case InProgress():
            return Outcome(Then.LATER, wait=IN_PROGRESS_AGAIN)
        case KeyRefused() | ScopeMissing():
            return Outcome(Then.LATER, wait=0.0)
        case AddressRefused():
            return Outcome(Then.LATER, wait=wait_after(attempts + 1, luck), reason=error.message)
        case Unreachable() | Broken():
            status = error.status if isinstance(error, Broken) else None
            return Outcome(Then.UNKNOWN, wait=wait_after(attempts + 1, luck), reason=error.message, status=status)
        case NotFound():
            return Outcome(
                Then.REFUSED, reason="It is no longer found at the provider.", status=404, answer=_said(error)
            )
        case Refused():
            return Outcome(Then.REFUSED, reason=error.message, status=error.status, answer=_said(error))
        case Forbidden():
            return Outcome(Then.REFUSED, reason=error.message, status=403, answer=_said(error))
    return Outcome(Then.UNKNOWN, wait=wait_after(attempts + 1, luck), reason=str(error))


def _said(error: UpstreamError) -> dict[str, Any]:
    details = error.details if isinstance(error, Refused) else []
    return {"error": error.error, "message": error.message, "details": details}


def of_fields(answer: Any) -> Iterator[tuple[list[str], str]]:
    """What the API said of single fields: the parts of each one's path, and the message.

    `details` is somebody else's, so nothing of it is relied on; a path is `contact.email` or `["contact", "email"]`.
    """
    details = answer.get("details") if isinstance(answer, dict) else None
    for detail in details if isinstance(details, list) else []:
        path, message = (detail.get("path"), detail.get("message")) if isinstance(detail, dict) else (None, None)
        parts = [str(part) for part in path] if isinstance(path, list) else str(path or "").split(".")
        if isinstance(message, str) and message:
            yield parts or [""], message


def must_read_first(
    *, attempts: int, first_at: datetime | None, sent_with: str, fingerprint: str, now: datetime
) -> bool:
    """Whether the same key would no longer be known: too old, or given to another API key."""
    if not attempts or first_at is None:
        return False
    return now - first_at > SAME_KEY_FOR or sent_with != fingerprint


class Reading(StrEnum):
    """What is done about an unknown outcome once the object was read."""

    DONE = "done"
    ANEW = "anew"
    REFUSED = "refused"
    PARKED = "parked"


def after_reading(*, found: bool, reached: bool, method: str, mails: bool) -> Reading:
    if not found:
        return Reading.DONE if method == "DELETE" else Reading.REFUSED
    if reached:
        return Reading.DONE
    return Reading.ANEW if method in ("PATCH", "DELETE") and not mails else Reading.PARKED
