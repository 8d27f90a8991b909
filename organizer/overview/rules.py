"""What the first page says of an event. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta


def is_live(*, starts_at: datetime | None, ends_at: datetime | None, length: timedelta, now: datetime) -> bool:
    if starts_at is None:
        return False
    return starts_at <= now < (ends_at or starts_at + length)


@dataclass(frozen=True)
class Check:
    """One line of `/readyz`: what was looked at, whether it is well, and in words why not."""

    name: str
    ok: bool
    words: str
    reports: bool = True


PULSE_LIMIT = timedelta(seconds=20)
OVERDUE_LIMIT = timedelta(seconds=30)


def worker_check(age: timedelta | None, overdue: timedelta | None = None) -> Check:
    """`overdue` is how long the oldest change waits that nothing holds."""
    if age is None:
        return Check("worker", False, "No worker has ever reported. Is it started?", reports=False)
    if age > PULSE_LIMIT:
        return Check("worker", False, f"The worker last reported {int(age.total_seconds())} s ago.", reports=False)
    if overdue and overdue > OVERDUE_LIMIT:
        waits = int(overdue.total_seconds())
        return Check("worker", False, f"The worker reports, but changes wait since {waits} s that it could send.")
    return Check("worker", True, "The worker reports.")
