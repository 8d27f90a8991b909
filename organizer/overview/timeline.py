"""When guests came, as it is drawn: which stretch of time, in what steps, and what its times are called. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from organizer.attendees.rules import SLOT
from organizer.kit.charts import Column, Mark

BEFORE, AFTER = timedelta(hours=3), timedelta(hours=2)
"""How far around an event arrivals are drawn; others are said in numbers."""
LONGEST = timedelta(hours=36)
"""Of what lasts for days the last day and a half is drawn, in steps that still tell something."""
AROUND_START = timedelta(minutes=30)
MOST_COLUMNS = 72
MOST_TICKS = 5
STEPS = [timedelta(minutes=n) for n in (5, 10, 15, 30, 60)]
TICKS = [timedelta(minutes=n) for n in (15, 30, 60, 120, 180, 360, 720)]
OLDEST, LATEST = datetime(1971, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""What a provider says beyond these is no time that anything is drawn by."""


@dataclass(frozen=True)
class Stretch:
    """Somebody came, or nobody, from `at` for a step."""

    at: datetime
    count: int
    label: str
    is_now: bool


@dataclass(frozen=True)
class Timeline:
    zone: tzinfo
    now: datetime
    starts_at: datetime | None
    first: datetime
    last: datetime
    step: timedelta
    counts: Mapping[datetime, int]

    @cached_property
    def stretches(self) -> Sequence[Stretch]:
        number = round((self.last - self.first) / self.step)
        begins = [self.first + index * self.step for index in range(number)]
        return [Stretch(at, self.counts.get(at, 0), self.between(at), at <= self.now < at + self.step) for at in begins]

    @property
    def per(self) -> str:
        """What a column stands for."""
        minutes = int(self.step / timedelta(minutes=1))
        return _("Arrivals per hour") if minutes == 60 else _("Arrivals per %(n)d minutes") % {"n": minutes}

    @property
    def came(self) -> int:
        return sum(self.counts.values())

    @property
    def title(self) -> str:
        """The drawing in a sentence, for who does not see it."""
        if self.busiest is None:
            return _("%(per)s: nobody yet.") % {"per": self.per}
        said = _("%(per)s from %(first)s to %(last)s, most of them %(busiest)s: %(n)d.")
        first, last = self.clock(self.first), self.clock(self.last)
        return said % {
            "per": self.per, "first": first, "last": last, "busiest": self.busiest.label, "n": self.busiest.count,
        }  # fmt: skip

    @property
    def goes_on(self) -> bool:
        """Empty or not, there is something to look at while guests may come."""
        return self.first <= self.now <= self.last

    @property
    def busiest(self) -> Stretch | None:
        """The first of those in which most came."""
        most = max(self.stretches, key=lambda one: one.count, default=None)
        return most if most and most.count else None

    @property
    def with_somebody(self) -> Sequence[Stretch]:
        return [one for one in self.stretches if one.count]

    @property
    def columns(self) -> Sequence[Column]:
        return [Column(one.label, one.count, "col-now" if one.is_now else "col") for one in self.stretches]

    @property
    def ticks(self) -> Sequence[Mark]:
        long = self.last - self.first
        step = next((step for step in TICKS if long / step <= MOST_TICKS), TICKS[-1])
        first = _floor(self.first + step - timedelta(microseconds=1), step, self.zone)
        times = [first + index * step for index in range(int((self.last - first) / step) + 1)]
        return [Mark(self.share(at), self.clock(at, self.first if index == 0 else times[index - 1]))
                for index, at in enumerate(times)]  # fmt: skip

    @property
    def start_mark(self) -> float | None:
        return self._on(self.starts_at)

    @property
    def now_mark(self) -> float | None:
        return self._on(self.now.replace(second=0, microsecond=0))

    @property
    def first_clock(self) -> str:
        return self.clock(self.first)

    @property
    def last_clock(self) -> str:
        return self.clock(self.last, self.first)

    @property
    def now_clock(self) -> str:
        return self.clock(self.now)

    def share(self, at: datetime) -> float:
        return (at - self.first) / (self.last - self.first)

    def between(self, at: datetime) -> str:
        return f"{self.clock(at)}–{self.clock(at + self.step)}"

    def clock(self, at: datetime, before: datetime | None = None) -> str:
        """The day where it is another than `before`'s, and the zone where the clocks were changed meanwhile."""
        local = at.astimezone(self.zone)
        another = before is not None and before.astimezone(self.zone).date() != local.date()
        day = f"{date_format(local, 'D')} " if another else ""
        return f"{day}{local:%H:%M}{f' {local.tzname()}' if self._clocks_change else ''}"

    @cached_property
    def _clocks_change(self) -> bool:
        ends = (self.first, self.last)
        return len({at.astimezone(self.zone).utcoffset() for at in ends}) > 1

    def _on(self, at: datetime | None) -> float | None:
        return self.share(at) if at and self.first <= at <= self.last else None


@dataclass(frozen=True)
class Window:
    """The stretch of time whose arrivals are drawn, at most; `starts_at` is None where it began before."""

    opens: datetime
    closes: datetime
    starts_at: datetime | None


def window(*, starts_at: datetime | None, ends_at: datetime | None, now: datetime) -> Window:
    """`ends_at` is what the event is taken to end at."""
    starts_at, ends_at = _sane(starts_at), _sane(ends_at)
    if starts_at is None:
        return Window(now + SLOT - LONGEST, now + SLOT, None)
    closes = (ends_at or starts_at) + AFTER
    opens = max(starts_at - BEFORE, min(now + SLOT, closes) - LONGEST)
    return Window(opens, closes, starts_at if starts_at >= opens else None)


def timeline(arrivals: Mapping[datetime, int], of: Window, *, now: datetime, zone: tzinfo) -> Timeline:
    """`arrivals` by the five minutes they fell in."""
    drawn = {at: count for at, count in arrivals.items() if of.opens <= at < of.closes}
    first, last = _ends(drawn, of, now)
    step = next((step for step in STEPS if (last - first) / step <= MOST_COLUMNS), STEPS[-1])
    first = _floor(first, step, zone)
    last = first - (first - last) // step * step  # whole steps, rounded up
    counts: dict[datetime, int] = {}
    for at, count in drawn.items():
        begins = first + (at - first) // step * step
        counts[begins] = counts.get(begins, 0) + count
    return Timeline(zone=zone, now=now, starts_at=of.starts_at, first=first, last=last, step=step, counts=counts)


def _ends(drawn: Mapping[datetime, int], of: Window, now: datetime) -> tuple[datetime, datetime]:
    """From the first guest to the last, or to now while it goes on; the start of the event is on it where it may."""
    times = [of.starts_at - AROUND_START, of.starts_at + AROUND_START] if of.starts_at else []
    times += [now] if of.opens <= now < of.closes - AFTER else []
    times += [*drawn, *(at + SLOT for at in drawn)]
    return min(times, default=of.opens), max(times, default=of.opens + AROUND_START)


def _sane(at: datetime | None) -> datetime | None:
    return at if at and OLDEST < at < LATEST else None


def _floor(at: datetime, step: timedelta, zone: tzinfo) -> datetime:
    """To a round time of the place, as its clocks go then."""
    offset = at.astimezone(zone).utcoffset() or timedelta(0)
    midnight = datetime(1970, 1, 1, tzinfo=at.tzinfo)
    return at - (at - midnight + offset) % step
