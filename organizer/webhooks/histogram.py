"""Deliveries over time by outcome, as the list is filtered. Counted from rows, of which there are at most so many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from sqlite3 import sqlite_version_info

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Min, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from organizer.kit import charts
from organizer.kit.charts import Mark, Part, Stack, Stacks
from organizer.webhooks.deliveries import Scope
from organizer.webhooks.filters import Filters
from organizer.webhooks.models import Delivery, Outcome
from organizer.webhooks.queries import ORDER

MOST_DRAWN = 50_000
MOST_BARS = 72
MINUTE, HOUR, DAY = 60, 3600, 86_400
STEPS = (
    1, 5, 10, 30, MINUTE, 5 * MINUTE, 10 * MINUTE, 20 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY,
    7 * DAY, 30 * DAY,
)  # fmt: skip
KINDS: Mapping[str, str] = {
    Outcome.CHANGED: "s-ok",
    Outcome.UNCHANGED: "s-mute",
    Outcome.STORED_ONLY: "s-soft",
    Outcome.NO_MATCH: "s-warn",
    Outcome.FAILED: "s-stop",
    Outcome.WAITING: "s-info",
    Outcome.TEST: "s-test",
}
"""From the foot upwards; the classes of static/css/parts.css."""
TICKS = 7

_EPOCH = "unixepoch(received_at)" if sqlite_version_info >= (3, 38) else "CAST(strftime('%%s', received_at) AS INTEGER)"
_COUNT = "SELECT {slot}, outcome, count(*) FROM ({newest}) AS newest GROUP BY 1, 2"
_SLOT = {
    # extract() reckons in decimals and takes four times as long
    "postgresql": "floor((date_part('epoch', received_at) + %s) / %s)::bigint",
    "sqlite": f"({_EPOCH} + %s) / %s",
}


@dataclass(frozen=True)
class KeyRow:
    outcome: Outcome
    kind: str
    count: int
    address: str
    current: bool


@dataclass(frozen=True)
class Bar:
    since: datetime
    until: datetime
    label: str
    counts: Mapping[str, int]
    address: str

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def numbers(self) -> Sequence[int]:
        return [self.counts.get(outcome, 0) for outcome in KINDS]


@dataclass(frozen=True)
class Histogram:
    bars: Sequence[Bar]
    filters: Filters
    zone: tzinfo
    step: int
    is_cut: bool
    """Not all could be counted: what is older is not drawn."""

    @property
    def heads(self) -> Sequence[str]:
        return [str(Outcome(outcome).label) for outcome in KINDS]

    @cached_property
    def filled(self) -> Sequence[Bar]:
        return [bar for bar in self.bars if bar.total]

    @cached_property
    def key(self) -> Sequence[KeyRow]:
        filters = self.filters
        return [
            KeyRow(
                Outcome(outcome),
                kind,
                sum(bar.counts.get(outcome, 0) for bar in self.bars),
                filters.address(outcome="" if filters.outcome == outcome else outcome),
                filters.outcome == outcome,
            )
            for outcome, kind in KINDS.items()
        ]

    @cached_property
    def drawing(self) -> Stacks:
        stacks = [
            Stack(bar.label, [Part(kind, bar.counts.get(outcome, 0)) for outcome, kind in KINDS.items()], bar.address)
            for bar in self.bars
        ]
        return charts.stacks(stacks, self._ticks())

    @property
    def title(self) -> str:
        return _("Deliveries per %(step)s by outcome") % {"step": _step_words(self.step)}

    def _ticks(self) -> list[Mark]:
        every = max(1, round(len(self.bars) / TICKS))
        marks, day = [], None
        for index in range(0, len(self.bars), every):
            local = self.bars[index].since.astimezone(self.zone)
            at = index / len(self.bars)
            marks.append(Mark(at if at else 0.0, self._tick(local, told=local.date() == day)))
            day = local.date()
        return marks

    def _tick(self, local: datetime, *, told: bool) -> str:
        if self.step >= 12 * HOUR:
            return date_format(local, "j M")
        return f"{local:%H:%M}" if told else f"{date_format(local, 'D')} {local:%H:%M}"


def histogram(scope: Scope) -> Histogram | None:
    """None where there is no time to draw: nothing was found, or a few rows of a search."""
    rows, filters = scope.rows, scope.filters
    since, until = scope.span
    if since is None:
        if filters.q:
            return None
        oldest = Delivery.objects.filter(organization=scope.organization).aggregate(at=Min("received_at"))["at"]
        if oldest is None:
            return None
        since = min(oldest, until or scope.now)
    until = min(until, scope.now) if until else scope.now
    zone = timezone.get_current_timezone()
    step = _step((until - since).total_seconds())
    counted, is_cut = _counted(rows, step, _shift(scope.now, zone))
    bars = _bars(counted, since, until, step, zone, filters)
    return Histogram(bars, filters, zone, step, is_cut)


def _counted(rows: QuerySet[Delivery], step: int, shift: int) -> tuple[dict[int, dict[str, int]], bool]:
    """The newest `MOST_DRAWN` rows: numbers by slot and outcome, and whether there are more.

    Slots begin on the person's own clock: a day at their midnight.
    """
    counted: dict[int, dict[str, int]] = {}
    try:
        sql, params = newest(rows).query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
    except EmptyResultSet:
        return counted, False
    with connection.cursor() as cursor:
        cursor.execute(_COUNT.format(slot=_SLOT[connection.vendor], newest=sql), [shift, step, *params])
        for slot, outcome, number in cursor.fetchall():
            counted.setdefault(slot, {})[outcome] = number
    total = sum(sum(numbers.values()) for numbers in counted.values())
    return counted, total == MOST_DRAWN and rows.order_by(*ORDER)[MOST_DRAWN : MOST_DRAWN + 1].exists()


def newest(rows: QuerySet[Delivery]) -> QuerySet[Delivery, tuple[datetime, str]]:
    return rows.order_by(*ORDER).values_list("received_at", "outcome")[:MOST_DRAWN]


def _bars(
    counted: Mapping[int, Mapping[str, int]], since: datetime, until: datetime, step: int, zone: tzinfo,
    filters: Filters,
) -> Sequence[Bar]:  # fmt: skip
    shift = _shift(until, zone)
    first, last = (int((at.timestamp() + shift) // step) for at in (since, until))
    bars = []
    for slot in range(first, last + 1):
        begins = datetime.fromtimestamp(slot * step - shift, UTC)
        ends = begins + timedelta(seconds=step)
        address = filters.address(since=begins, until=ends)
        bars.append(Bar(begins, ends, _label(begins, ends, zone), counted.get(slot, {}), address))
    return bars


def _shift(at: datetime, zone: tzinfo) -> int:
    return int((at.astimezone(zone).utcoffset() or timedelta()).total_seconds())


def _step(seconds: float) -> int:
    fits = (step for step in STEPS if seconds / step <= MOST_BARS)
    return next(fits, int(seconds // MOST_BARS // DAY + 1) * DAY)


def _label(begins: datetime, ends: datetime, zone: tzinfo) -> str:
    first, last = begins.astimezone(zone), ends.astimezone(zone)
    clock = "%H:%M:%S" if ends - begins < timedelta(minutes=1) else "%H:%M"
    if ends - begins >= timedelta(days=1):
        return (
            date_format(first, "D j M")
            if ends - begins == timedelta(days=1)
            else (f"{date_format(first, 'j M')} – {date_format(last, 'j M')}")
        )
    return f"{date_format(first, 'D j M')} {first:{clock}}–{last:{clock}}"


def _step_words(step: int) -> str:
    for size, word in ((DAY, _("%(n)s d")), (HOUR, _("%(n)s h")), (MINUTE, _("%(n)s min")), (1, _("%(n)s s"))):
        if step % size == 0:
            return word % {"n": step // size}
    return str(step)
