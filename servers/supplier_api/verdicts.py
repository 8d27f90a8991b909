"""What an answer to a notification means: it holds, it is hopeless, or it is tried again, and when. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum

BACK_OFF = tuple(timedelta(seconds=s) for s in (2, 5, 15, 60, 180, 600, 1800, 3600))
LIFETIME = timedelta(hours=8)
"""After the first try, or after somebody asked for another."""
SHORTEST, LONGEST = timedelta(seconds=1), timedelta(hours=1)
SPREAD = 0.2
REPEATED = frozenset({408, 425, 429})
"""What is tried again, beside everything from 500 on."""


class Outcome(StrEnum):
    DELIVERED = "delivered"
    STOPPED = "stopped"
    AGAIN = "again"


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    wait: timedelta = timedelta()


def judge(
    status: int | None, retry_after: str, *, attempts: int, age: timedelta, chance: float, now: datetime
) -> Verdict:
    """`status` is None where nothing whole came back, `attempts` counts this one, `chance` is from 0 up to 1."""
    if status is not None and 200 <= status < 300:
        return Verdict(Outcome.DELIVERED)
    if status is not None and status < 500 and status not in REPEATED:
        return Verdict(Outcome.STOPPED)
    wait = asked_wait(retry_after, now) if status in (429, 503) else None
    if wait is None:
        # around the usual pause, so that what failed together does not come back together
        wait = BACK_OFF[min(attempts, len(BACK_OFF)) - 1] * (1 + SPREAD * (2 * chance - 1))
    else:
        wait += wait * SPREAD * chance  # never before it was asked for
    return Verdict(Outcome.AGAIN, wait) if age + wait <= LIFETIME else Verdict(Outcome.STOPPED)


def asked_wait(retry_after: str, now: datetime) -> timedelta | None:
    """`Retry-After` in seconds or as a date, between a second and an hour; None where it says nothing."""
    text = retry_after.strip()
    if text.isascii() and text.isdecimal():
        return min(max(timedelta(seconds=int(text[:9])), SHORTEST), LONGEST)
    try:
        moment = parsedate_to_datetime(text)
        return min(max(moment - now, SHORTEST), LONGEST)
    except (ValueError, TypeError, OverflowError):  # no date, or one without a zone
        return None
