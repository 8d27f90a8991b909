"""Months and weeks as a calendar shows them, and the days that a time lies on. Pure: dates in, dates out."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Self

FIRST_YEAR, LAST_YEAR = 1900, 2999
MONDAY, SUNDAY = 0, 6
DAY = timedelta(days=1)
WEEK = timedelta(days=7)
_EARLIEST, _LATEST = datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC)
"""What any zone can still say the day of."""


@dataclass(frozen=True, order=True)
class Month:
    first: date
    begins: int = MONDAY
    """The day that its weeks begin with."""

    @classmethod
    def of(cls, day: date, begins: int = MONDAY) -> Self:
        return cls(day.replace(day=1), begins)

    @classmethod
    def parse(cls, text: str, begins: int = MONDAY) -> Self | None:
        """`2026-11`; None for what is no month, or none that a calendar has use for."""
        found = re.fullmatch(r"(\d{4})-(\d\d)", text, re.ASCII)
        try:
            return cls(_within(date(int(found[1]), int(found[2]), 1)), begins) if found else None
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"{self.first:%Y-%m}"

    @property
    def last(self) -> date:
        return (self.first + 31 * DAY).replace(day=1) - DAY

    @property
    def weeks(self) -> "list[Week]":
        """All that have a day in it: they reach into its neighbours."""
        begin = on_or_before(self.first, self.begins)
        return [Week(begin + number * WEEK) for number in range((self.last - begin).days // 7 + 1)]

    @property
    def previous(self) -> Self | None:
        return self._beside(self.first - DAY)

    @property
    def next(self) -> Self | None:
        return self._beside(self.last + DAY)

    def _beside(self, day: date) -> Self | None:
        return type(self).of(day, self.begins) if FIRST_YEAR <= day.year <= LAST_YEAR else None


@dataclass(frozen=True, order=True)
class Week:
    """Seven days; its name is that of the ISO week whose Monday it has, whatever day it begins with."""

    first: date

    @classmethod
    def of(cls, day: date, begins: int = MONDAY) -> Self:
        return cls(on_or_before(day, begins))

    @classmethod
    def parse(cls, text: str, begins: int = MONDAY) -> Self | None:
        """`2026-W47`."""
        found = re.fullmatch(r"(\d{4})-W(\d\d)", text, re.ASCII)
        try:
            monday = _within(date.fromisocalendar(int(found[1]), int(found[2]), 1)) if found else None
        except ValueError:
            return None
        return cls.of(monday, begins) if monday else None

    def __str__(self) -> str:
        year, number, _ = self._monday.isocalendar()
        return f"{year:04}-W{number:02}"

    @property
    def number(self) -> int:
        return self._monday.isocalendar().week

    @property
    def last(self) -> date:
        return self.first + 6 * DAY

    @property
    def days(self) -> list[date]:
        return [self.first + number * DAY for number in range(7)]

    @property
    def weeks(self) -> list[Self]:
        return [self]

    @property
    def previous(self) -> Self | None:
        return self._beside(-WEEK)

    @property
    def next(self) -> Self | None:
        return self._beside(WEEK)

    @property
    def _monday(self) -> date:
        return self.first + (MONDAY - self.first.weekday()) % 7 * DAY

    def _beside(self, distance: timedelta) -> Self | None:
        inside = FIRST_YEAR <= (self._monday + distance).year <= LAST_YEAR
        return type(self)(self.first + distance) if inside else None


def day_named(text: str) -> date | None:
    """`2026-11-21`."""
    found = re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII)
    try:
        return _within(date.fromisoformat(text)) if found else None
    except ValueError:
        return None


def on_or_before(day: date, weekday: int) -> date:
    return day - (day.weekday() - weekday) % 7 * DAY


def days_of(starts_at: datetime, ends_at: datetime | None, zone: tzinfo) -> tuple[date, date]:
    """The first and the last day that it lies on, where `zone` is. What ends at midnight does not touch the next day.

    Without an end, or with one that is before the beginning, it is the day of the beginning.
    """
    first = _day(starts_at, zone)
    if ends_at is None or ends_at <= starts_at:
        return first, first
    return first, max(first, _day(ends_at - timedelta(microseconds=1), zone))


def _day(at: datetime, zone: tzinfo) -> date:
    return min(max(at, _EARLIEST), _LATEST).astimezone(zone).date()


def _within(day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError
    return day
