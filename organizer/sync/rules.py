"""Pure decisions of the mirror: when to read again, when a list has ended, and how odd values become columns."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Protocol

PAGE_SIZE = 200
MAX_PAGES = 5_000
"""A list that goes on after a million rows is taken for one that never ends."""
LONGEST_WAIT = 60.0
ON_SCREEN_FOR = timedelta(minutes=2)
ON_SCREEN_EVERY = timedelta(minutes=1)
PURGE_AFTER = timedelta(days=90)

NO_BREAK = "\u00a0"
"""Stands for a space in search texts outside of names; `fold` never yields one."""

Json = Mapping[str, Any]

OPEN = ("waiting", "sending")


class Told(Protocol):
    """What a command tells of itself to the row that it is about."""

    @property
    def seq(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def fields(self) -> dict[str, Any]: ...
    @property
    def reason(self) -> str: ...
    @property
    def by_name(self) -> str: ...
    @property
    def due_at(self) -> datetime: ...


@dataclass(frozen=True)
class Fact:
    """What holds whatever the API says of it (a guest is inside). `shown_by` is how its payload says the same."""

    fields: Json
    shown_by: Json
    reason: str = ""

    def is_recorded(self, payload: Json) -> bool:
        return all(payload.get(name) == value for name, value in self.shown_by.items())


def note(commands: Sequence[Told], payload: Json, fact: Fact | None = None) -> dict[str, Any]:
    """What a row's commands come to, as its screen says it; empty where there is nothing to say.

    `state` is `waiting` (to be undone until `due`), `sending`, `refused`, `parked` or `unrecorded`.
    """
    open_ones = [command for command in commands if command.state in OPEN]
    failed = [command for command in commands if command.state not in OPEN]
    if open_ones or failed:
        told = open_ones[-1] if open_ones else failed[0]
        said = {"state": told.state, "kind": told.kind, "seq": told.seq, "by": told.by_name}
        if told.state in OPEN:
            return said | {"due": told.due_at.isoformat()}
        return said | {"reason": told.reason}
    if fact and not fact.is_recorded(payload):
        return {"state": "unrecorded", "reason": fact.reason}
    return {}


# --- when ---


def wait_after(failures: int, luck: float) -> float:
    """Seconds before the next try: 2, 4, 8 … about a minute. `luck` in [0, 1) spreads what failed together."""
    return min(2.0 ** max(failures, 1), LONGEST_WAIT) * (0.75 + luck / 2)


def next_read(*, started: datetime, now: datetime, every: timedelta, busy: timedelta) -> datetime:
    """`every` counts from start to start, but a list that takes long to read rests as long as that took."""
    return now + max(started + every - now, busy, timedelta(seconds=1))


def is_stale(*, read_at: datetime | None, every: timedelta, now: datetime) -> bool:
    return read_at is None or now - read_at > max(3 * every, timedelta(minutes=5))


@dataclass(frozen=True)
class PageShape:
    """What a page tells of the end of its list; a provider may leave out all but the rows."""

    number: int
    rows: int
    new: int  # rows that this walk had not seen before
    pages: int | None
    total: int | None
    first_page_rows: int
    seen: int  # rows of all pages so far, this one included


def is_last(page: PageShape) -> bool:
    if page.rows == 0 or page.number >= MAX_PAGES:
        return True
    if page.pages is not None:
        return page.number >= page.pages
    if page.new == 0:  # the same rows again: it ignores the page number
        return True
    if page.total is not None and page.seen >= page.total:
        return True
    # the provider may cap the page size, so a page is short beside the first one and not beside what we asked for
    return page.number > 1 and page.rows < page.first_page_rows


# --- what: lenient readers, so that no value of a provider can fail a mapping ---

_LARGEST = 2**63 - 1
_LARGEST_COST = Decimal("999999999999.9999")


def lay_over(payload: Json, commands: Iterable[Json]) -> dict[str, Any]:
    """The fields of open commands, oldest first, over the API's last answer."""
    result = dict(payload)
    for fields in commands:
        result |= fields
    return result


def text(value: Any, most: int | None = None) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    try:
        return str(value).strip()[:most]
    except ValueError:  # an integer of thousands of digits
        return ""


def whole(value: Any) -> int:
    """A count: never negative, never more than the database holds, 0 for what is not a number."""
    try:
        number = float(value) if isinstance(value, str) else value
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            return 0
        return min(max(int(number), 0), _LARGEST)
    except (ValueError, OverflowError):
        return 0


def money(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return Decimal(0)
    try:
        amount = Decimal(str(value))
        return min(max(amount, Decimal(0)), _LARGEST_COST).quantize(Decimal("0.0001"))
    except (InvalidOperation, ValueError):
        return Decimal(0)


def flag(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def moment(value: Any) -> datetime | None:
    """An ISO time as UTC; without an offset it is read as UTC. None for what no calendar can show in every zone."""
    if not isinstance(value, str):
        return None
    try:
        parsed = datetime.fromisoformat(value.strip())
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        result = aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return result if 1000 <= result.year <= 9998 else None


def part(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}
