"""When something is worth an alert, when it is over, and which state comes next. Pure.

Each condition opens at one line and is over at a lower one, so that what hovers at a line does not flap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import median
from typing import Any


class Condition(StrEnum):
    REJECTS = "rejects"
    NO_MATCH = "no_match"
    FAILED = "failed"
    WAITING = "waiting"
    QUIET = "quiet"
    OLD_SECRET = "old_secret"  # noqa: S105
    LATE = "late"
    GROWTH = "growth"


@dataclass(frozen=True)
class Limits:
    """An organization's; what it has not set is as here."""

    off: Sequence[str] = ()
    rejects_floor: int = 20
    rejects_factor: float = 5
    no_match_share: int = 20
    no_match_floor: int = 10
    failed: int = 20
    waiting_minutes: float = 2
    quiet_hours: float = 2
    quiet_factor: float = 2
    old_secret_hours: float = 6
    late: int = 1
    growth_rows: int = 200_000
    growth_megabytes: int = 1_000

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> "Limits":
        """What was kept under a name that nobody knows any more is left out."""
        known = {one.name for one in fields(cls)}
        said = {name: value for name, value in kept.items() if name in known}
        return cls(**said | {"off": tuple(sorted(said.get("off", ())))})

    def kept(self) -> dict[str, Any]:
        return asdict(self) | {"off": sorted(self.off)}

    def watches(self, condition: str) -> bool:
        return condition not in self.off


@dataclass(frozen=True)
class Verdict:
    holds: bool
    measured: dict[str, Any] = field(default_factory=dict)


# --- the conditions; `stands` says that the alert is there already ---

CALM = 0.5
"""Under this share of its line a condition is over."""
MEGABYTE = 1_000_000


def rejects(recent: int, usual: float, limits: Limits, *, stands: bool) -> Verdict:
    """`recent` in the last hour, `usual` in an hour before it began."""
    line = max(float(limits.rejects_floor), limits.rejects_factor * usual)
    return Verdict(
        recent >= (line * CALM if stands else line), {"recent": recent, "usual": round(usual, 1), "line": round(line)}
    )


def no_match(settled: int, unmatched: int, limits: Limits, *, stands: bool) -> Verdict:
    """Of the deliveries of the last hour that something came of."""
    share = 100 * unmatched / settled if settled else 0.0
    calm = CALM if stands else 1
    holds = settled >= limits.no_match_floor * calm and share > limits.no_match_share * calm
    return Verdict(holds, {"settled": settled, "unmatched": unmatched, "share": round(share)})


def failed(number: int, limits: Limits, *, stands: bool) -> Verdict:
    return Verdict(number > limits.failed * (CALM if stands else 1), {"failed": number})


def waiting(number: int, oldest: datetime | None, limits: Limits, now: datetime, *, stands: bool) -> Verdict:
    line = timedelta(minutes=limits.waiting_minutes) * (CALM if stands else 1)
    return Verdict(
        oldest is not None and now - oldest > line,
        {"waiting": number, "oldest": oldest.isoformat() if oldest else None},
    )


NEW_FOR = timedelta(days=3)
"""Before that nobody knows what is usual."""
FEW_GAPS = 10
PASSED_OVER = 2
"""So many of the longest gaps were outages, and not its custom; a weekend comes more often."""


def quiet(
    now: datetime, last: datetime, latest: Sequence[timedelta], older: Sequence[timedelta], limits: Limits
) -> Verdict:
    """Of the gaps between its latest deliveries, and of the weeks before them.

    Silent is who has said nothing for longer than it usually does at its longest: at night, at weekends. Nothing
    flaps here: the next delivery ends it, and only its absence begins it.
    """
    gaps = sorted([*latest, *older], reverse=True)
    if len(gaps) < FEW_GAPS or sum(gaps, timedelta()) < NEW_FOR:
        return Verdict(False)
    line = max(timedelta(hours=limits.quiet_hours), limits.quiet_factor * gaps[PASSED_OVER])
    usual = median(gap.total_seconds() for gap in latest)
    said = {"last": last.isoformat(), "usual": round(usual), "line": round(line.total_seconds())}
    return Verdict(now - last > line, said)


IN_USE, NO_LONGER_IN_USE = timedelta(hours=12), timedelta(hours=24)


def old_secret(
    ends_at: datetime, used_at: datetime | None, replaced_at: datetime, limits: Limits, now: datetime, *, stands: bool
) -> Verdict:
    """What it signed before it was replaced says nothing."""
    near = timedelta(0) < ends_at - now <= timedelta(hours=limits.old_secret_hours)
    used = used_at is not None and used_at > replaced_at and now - used_at < (NO_LONGER_IN_USE if stands else IN_USE)
    return Verdict(near and used, {"ends_at": ends_at.isoformat(), "used_at": used_at.isoformat() if used_at else None})


LATE_FOR = timedelta(minutes=2)
"""What is looked at in the next moments is nobody's trouble."""


def late(for_long: int, at_all: int, limits: Limits, *, stands: bool) -> Verdict:
    """Orders that were late already a while ago, and those that are."""
    holds = at_all >= max(limits.late * CALM, 1) if stands else for_long >= limits.late
    return Verdict(holds, {"late": at_all})


CALM_GROWTH = 0.8


def growth(rows: int, stored: int, limits: Limits, *, stands: bool) -> Verdict:
    """Of a day, as bytes of bodies and as rows."""
    calm = CALM_GROWTH if stands else 1
    over = rows > limits.growth_rows * calm or stored > limits.growth_megabytes * MEGABYTE * calm
    return Verdict(over, {"rows": rows, "bytes": stored})


# --- states ---

OPEN, ACKNOWLEDGED, RESOLVED, IGNORED = "open", "acknowledged", "resolved", "ignored"
CURRENT = (OPEN, ACKNOWLEDGED)


@dataclass(frozen=True)
class Step:
    """`state` None: it stays. `closed`: nothing more comes of it, the next time is another alert."""

    state: str | None = None
    closed: bool = False
    silent: bool = False


def step(state: str, *, holds: bool, ignored_until: datetime | None, now: datetime) -> Step:
    """What comes of an alert that is not closed, by itself."""
    if state == RESOLVED:  # by a person, before it was over: it may not come again as another
        return Step(closed=not holds)
    if state == IGNORED:
        if ignored_until is None or now < ignored_until:
            return Step()
        return Step(OPEN) if holds else Step(RESOLVED, closed=True, silent=True)
    return Step() if holds else Step(RESOLVED, closed=True)


_MAY = {ACKNOWLEDGED: (OPEN,), IGNORED: CURRENT, RESOLVED: (*CURRENT, IGNORED), OPEN: (ACKNOWLEDGED, IGNORED, RESOLVED)}


def may_become(state: str, to: str, *, closed: bool) -> bool:
    """What a person may do about it."""
    return not closed and state in _MAY[to]


# --- notifications ---

AGAIN = (10, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 12 * 3600)
"""Seconds between tries; after the last nobody tries any more."""
LONGEST_RETRY_AFTER = 3600


def next_try(tries: int, now: datetime, luck: float, retry_after: int = 0) -> datetime | None:
    """After `tries` that failed, a little spread."""
    if tries > len(AGAIN):
        return None
    wait = AGAIN[tries - 1] * (0.9 + 0.2 * luck)
    return now + timedelta(seconds=max(wait, min(retry_after, LONGEST_RETRY_AFTER)))
