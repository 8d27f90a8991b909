"""How deliveries went, by outcome: of each span of time the newest few, found by the index of their supplier.

So a supplier that sent a million costs as much as one that sent thousands, and a share is a share all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import batched
from typing import Any
from uuid import UUID

from django.db import connection

from organizer.kit import quick
from organizer.webhooks.models import Delivery, Outcome

AT_ONCE = 250
"""SQLite takes at most 500 selects in one."""
GOOD = (Outcome.CHANGED, Outcome.UNCHANGED)
BAD = (Outcome.NO_MATCH, Outcome.FAILED)
_PART = """SELECT * FROM (SELECT {label} AS label, outcome, duplicates FROM {table}
  WHERE vendor_id = %s AND received_at >= %s AND received_at < %s
  ORDER BY received_at DESC, id DESC LIMIT {most}) part_{label}"""
_ALL = """SELECT label, outcome, count(*), sum(CASE WHEN duplicates > 0 THEN 1 ELSE 0 END) FROM ({parts}) parts
  GROUP BY label, outcome"""


@dataclass(frozen=True)
class Span:
    """Of one supplier, from when (included) until when (not included); at most so many are counted."""

    vendor_id: UUID
    since: datetime
    until: datetime
    most: int


@dataclass(frozen=True)
class Tally:
    counts: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0
    full: bool = False
    """There may be more than were counted."""

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def number(self, *outcomes: str) -> int:
        return sum(self.counts.get(outcome, 0) for outcome in outcomes)

    @property
    def success(self) -> float | None:
        """Of those about which the supplier was asked, the share whose order was found."""
        good, bad = self.number(*GOOD), self.number(*BAD)
        return good / (good + bad) if good + bad else None

    @property
    def duplicates(self) -> float | None:
        return self.repeated / self.total if self.total else None


def counted(spans: Sequence[Span]) -> Sequence[Tally]:
    """One for each, in their order. Tests of our own are left out."""
    return [tally for some in batched(spans, AT_ONCE) for tally in _counted(some)]


def together(tallies: Sequence[Tally]) -> Tally:
    counts: dict[str, int] = {}
    for one in tallies:
        for outcome, number in one.counts.items():
            counts[outcome] = counts.get(outcome, 0) + number
    return Tally(counts, sum(one.repeated for one in tallies), any(one.full for one in tallies))


def _counted(spans: Sequence[Span]) -> Sequence[Tally]:
    counts: list[dict[str, int]] = [{} for _span in spans]
    repeated, seen = [0] * len(spans), [0] * len(spans)
    sql, params = wording(spans)
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        for label, outcome, number, again in cursor.fetchall():
            seen[label] += number
            if outcome != Outcome.TEST:
                counts[label][outcome] = number
                repeated[label] += again
    return [Tally(counts[at], repeated[at], seen[at] >= span.most) for at, span in enumerate(spans)]


def wording(spans: Sequence[Span]) -> tuple[str, list[Any]]:
    table = Delivery._meta.db_table
    parts = [_PART.format(label=at, table=table, most=int(span.most)) for at, span in enumerate(spans)]
    params: list[Any] = []
    for span in spans:
        times = [quick.value(Delivery, "received_at", at) for at in (span.since, span.until)]
        params += [quick.value(Delivery, "vendor", span.vendor_id), *times]
    return _ALL.format(parts=" UNION ALL ".join(parts)), params
