"""Where an event stands: a provider's status and our clock together. Pure."""

from datetime import datetime
from enum import StrEnum

from organizer.events.rules import LENGTH_WITHOUT_END


class Phase(StrEnum):
    LIVE = "live"
    UPCOMING = "upcoming"
    PAST = "past"
    DRAFT = "draft"
    CANCELLED = "cancelled"
    DELETED = "deleted"


def phase(*, status: str, starts_at: datetime | None, ends_at: datetime | None, now: datetime) -> Phase:
    """A status that we do not know does not hide an event: its times decide."""
    if status in (Phase.DRAFT, Phase.CANCELLED, Phase.DELETED):
        return Phase(status)
    if starts_at is None or now < starts_at:
        return Phase.PAST if status == "completed" else Phase.UPCOMING
    return Phase.LIVE if now < end_of(starts_at, ends_at) and status != "completed" else Phase.PAST


def end_of(starts_at: datetime, ends_at: datetime | None) -> datetime:
    return ends_at if ends_at and ends_at > starts_at else starts_at + LENGTH_WITHOUT_END


def share(taken: int, of: int) -> int:
    """Per cent, whole; 100 only when there is nothing left."""
    if of <= 0:
        return 0
    return 100 if taken >= of else min(99, 100 * taken // of)
