"""A supplier's last seven days: what came of its deliveries, how soon, what was refused, and how asking it goes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from math import ceil

from django.db.models import F, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from organizer.kit import charts
from organizer.kit.charts import Mark, Part, Stack, Stacks
from organizer.webhooks import models, queries, registry, tallies
from organizer.webhooks.models import Delivery, Outcome, Reason, Vendor
from organizer.webhooks.registry import Checks
from organizer.webhooks.rejections import FIXES, reason_words
from organizer.webhooks.rows import duration
from organizer.webhooks.tallies import Span, Tally

WEEK = timedelta(days=7)
SLOT = timedelta(hours=6)
MOST_IN_SLOT = 1_000
NEWEST = 2_000
"""Of so many it is said how soon they came to their outcome."""
PARTS: Sequence[tuple[Promise, str, Sequence[str]]] = (
    (_("Taken"), "s-ok", (Outcome.CHANGED, Outcome.UNCHANGED, Outcome.STORED_ONLY, Outcome.WAITING)),
    (_("No match"), "s-warn", (Outcome.NO_MATCH,)),
    (_("Failed"), "s-stop", (Outcome.FAILED,)),
    (_("Rejected"), "s-mute", ()),
)
"""From the foot upwards."""


@dataclass(frozen=True)
class Slot:
    since: datetime
    until: datetime
    tally: Tally
    rejected: int

    @property
    def numbers(self) -> Sequence[int]:
        return [self.tally.number(*outcomes) if outcomes else self.rejected for _label, _kind, outcomes in PARTS]

    @property
    def label(self) -> str:
        here = timezone.get_current_timezone()
        first, last = self.since.astimezone(here), self.until.astimezone(here)
        return f"{date_format(first, 'D j M')} {first:%H:%M}–{last:%H:%M}"


@dataclass(frozen=True)
class Refused:
    reason: str
    number: int

    @property
    def words(self) -> str:
        return reason_words(self.reason)

    @property
    def fix(self) -> str:
        return str(FIXES.get(self.reason, ""))


@dataclass(frozen=True)
class Health:
    slots: Sequence[Slot]
    took: Sequence[timedelta]
    """In order."""
    refused: Sequence[Refused]
    checks: Checks | None

    @cached_property
    def tally(self) -> Tally:
        return tallies.together([slot.tally for slot in self.slots])

    @property
    def is_empty(self) -> bool:
        return not self.tally.total and not self.rejected

    @property
    def rejected(self) -> int:
        return sum(one.number for one in self.refused)

    @property
    def success(self) -> str:
        return percent(self.tally.success)

    @property
    def duplicates(self) -> str:
        return percent(self.tally.duplicates)

    @property
    def missed(self) -> str:
        told = self.checks.told if self.checks else None
        return percent(told.missed / told.changes) if told and told.changes else ""

    @property
    def half(self) -> str:
        return _at(self.took, 0.5)

    @property
    def nearly_all(self) -> str:
        return _at(self.took, 0.95)

    @property
    def heads(self) -> Sequence[tuple[str, str, int]]:
        """Word, colour and sum of each part."""
        sums = [sum(numbers) for numbers in zip(*(slot.numbers for slot in self.slots), strict=True)]
        return [(str(label), kind, number) for (label, kind, _), number in zip(PARTS, sums, strict=True)]

    @property
    def filled(self) -> Sequence[Slot]:
        return [slot for slot in self.slots if any(slot.numbers)]

    @cached_property
    def drawing(self) -> Stacks:
        """What was rejected by the thousand does not make the rest too small to see."""
        stacks = [
            Stack(
                slot.label,
                [
                    Part(kind, min(number, MOST_IN_SLOT))
                    for (_label, kind, _), number in zip(PARTS, slot.numbers, strict=True)
                ],
            )
            for slot in self.slots
        ]
        return charts.stacks(stacks, self._days())

    def _days(self) -> list[Mark]:
        here = timezone.get_current_timezone()
        begun = [(at, slot.since.astimezone(here)) for at, slot in enumerate(self.slots)]
        return [
            Mark(at / len(self.slots), date_format(local, "D j"))
            for at, local in begun
            if local.hour < SLOT / timedelta(hours=1)
        ]


def of(vendor: Vendor, now: datetime) -> Health:
    spans = _spans(vendor, now, timezone.get_current_timezone())
    since = spans[0].since
    rejected = _rejected(vendor, spans)
    slots = [
        Slot(span.since, span.until, tally, rejected.get(at, 0))
        for at, (span, tally) in enumerate(zip(spans, tallies.counted(spans), strict=True))
    ]
    counts = queries.refused_by_reason([vendor], since)
    refused = [Refused(reason, n) for (_key, reason), n in counts.items() if reason in Reason.values]
    return Health(
        slots,
        _took(vendor, since),
        sorted(refused, key=lambda one: -one.number),
        registry.sequel().checks(vendor, since, now),
    )


def newest(vendor: Vendor, since: datetime) -> QuerySet[Delivery]:
    return Delivery.objects.filter(vendor=vendor, received_at__gte=since).order_by(*queries.ORDER)[:NEWEST]


def percent(share: float | None) -> str:
    """Nothing that is not all is called 100 %, and nothing that is something 0."""
    if share is None:
        return ""
    if 0 < share < 0.001:
        return "< 0.1 %"
    tenths = min(round(share * 1000), 999) if share < 1 else 1000
    return f"{tenths // 10}.{tenths % 10} %" if tenths % 10 else f"{tenths // 10} %"


def _spans(vendor: Vendor, now: datetime, zone: tzinfo) -> Sequence[Span]:
    """Quarters of the person's days; the last one is not over."""
    local = now.astimezone(zone)
    offset = local.utcoffset() or timedelta()
    size = SLOT.total_seconds()
    last = int((now.timestamp() + offset.total_seconds()) // size)
    begins = [
        datetime.fromtimestamp(slot * size - offset.total_seconds(), UTC)
        for slot in range(last - int(WEEK / SLOT) + 1, last + 1)
    ]
    return [Span(vendor.pk, at, at + SLOT, MOST_IN_SLOT) for at in begins]


def _rejected(vendor: Vendor, spans: Sequence[Span]) -> Mapping[int, int]:
    """Exact, from the minutes' numbers."""
    sums = {
        str(slot): Sum("number", filter=Q(minute__gte=span.since, minute__lt=span.until), default=0)
        for slot, span in enumerate(spans)
    }
    counted = models.Tally.objects.filter(of=vendor.pk.hex, minute__gte=spans[0].since).aggregate(**sums)
    return {int(slot): number for slot, number in counted.items()}


def _took(vendor: Vendor, since: datetime) -> Sequence[timedelta]:
    """Whatever is among the newest: to look for those that were settled might mean to look through all."""
    rows = newest(vendor, since).values_list("outcome", F("received_at"), F("settled_at"))
    settled = {*tallies.GOOD, *tallies.BAD}
    return sorted(until - at for outcome, at, until in rows if until and outcome in settled)


def _at(took: Sequence[timedelta], share: float) -> str:
    return duration(took[ceil(share * len(took)) - 1]) if took else ""
