"""A month or a week of events: each on the days that it has where it takes place."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from functools import cached_property

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.events import queries
from organizer.events.models import Event
from organizer.events.queries import EventRow
from organizer.kit import days
from organizer.kit.calendars import DAY, Month, Week, days_of

ON_A_DAY = 4
"""So many stand in a day of the month; of more, all but the last give way to the link to the rest."""
IN_A_LIST = 12
"""So many stand under a day where there is room below: in the week, and on a phone."""


@dataclass(frozen=True)
class Entry:
    """An event on one of its days."""

    row: EventRow
    day: date
    first: date
    last: date
    mine: tzinfo

    @property
    def event(self) -> Event:
        return self.row.event

    @cached_property
    def zone(self) -> tzinfo:
        return days.zone_named(self.event.timezone)

    @property
    def continues(self) -> bool:
        """It began before this day."""
        return self.day > self.first

    @property
    def time(self) -> str:
        """`19:00` on the day it begins, `until 03:00` on the day it ends, `all day` between them."""
        if not self.continues:
            return f"{self.starts:%H:%M}"
        return _("until %s") % f"{self.ends:%H:%M}" if self.day == self.last and self.ends else _("all day")

    @property
    def times(self) -> str:
        """As `time`, with the end where that is within a day."""
        ends = None if self.continues else self.ends
        return f"{self.time}–{ends:%H:%M}" if ends and ends - self.starts < DAY else self.time

    @cached_property
    def starts(self) -> datetime:
        assert self.event.starts_at  # noqa: S101  (what has no beginning lies on no day)
        return self.event.starts_at.astimezone(self.zone)

    @cached_property
    def ends(self) -> datetime | None:
        ends_at = self.event.ends_at
        return ends_at.astimezone(self.zone) if ends_at and ends_at > self.starts else None

    @property
    def instant(self) -> str:
        return self.starts.isoformat()

    @property
    def is_elsewhere(self) -> bool:
        """Its clock is not the person's at that moment."""
        return self.starts.utcoffset() != self.starts.astimezone(self.mine).utcoffset()

    @property
    def place(self) -> str:
        return days.zone_name(self.zone)

    @property
    def for_me(self) -> str:
        """`05:00` by the person's own clock, with the day where that is another: `Sunday 05:00`."""
        mine = self.starts.astimezone(self.mine)
        return f"{mine:%H:%M}" if mine.date() == self.first else f"{date_format(mine, 'l')} {mine:%H:%M}"

    @property
    def exact(self) -> str:
        zones = [self.zone, self.mine] if self.is_elsewhere else [self.zone]
        return days.exact(self.starts, *zones)


@dataclass(frozen=True)
class Day:
    day: date
    entries: Sequence[Entry]
    inside: bool
    """Of the month that is shown, and not of its neighbours."""
    today: date

    @property
    def name(self) -> str:
        return self.day.isoformat()

    @property
    def weekday(self) -> str:
        return days.said(self.day, "l")

    @property
    def month(self) -> str:
        return days.said(self.day, "F")

    @property
    def is_today(self) -> bool:
        return self.day == self.today

    @property
    def is_past(self) -> bool:
        return self.day < self.today

    @property
    def shown(self) -> Sequence[Entry]:
        return self.entries[:IN_A_LIST]

    @property
    def at_once(self) -> int:
        return len(self.entries) if len(self.entries) <= ON_A_DAY else ON_A_DAY - 1

    @property
    def beyond(self) -> int:
        """How many the month's cell leaves out."""
        return len(self.entries) - self.at_once

    @property
    def unlisted(self) -> int:
        return len(self.entries) - len(self.shown)


@dataclass(frozen=True)
class Calendar:
    span: Month | Week
    weeks: Sequence[tuple[Week, Sequence[Day]]]
    today: date
    mine: tzinfo
    beside: Event | None = None
    """Where nothing is shown: the next event, or else the last one."""

    @property
    def is_month(self) -> bool:
        return isinstance(self.span, Month)

    @property
    def unit(self) -> str:
        return "month" if self.is_month else "week"

    @cached_property
    def days(self) -> Sequence[Day]:
        return [day for _week, row in self.weeks for day in row]

    @property
    def weekdays(self) -> Sequence[date]:
        return self.weeks[0][0].days

    @property
    def title(self) -> str:
        """`November 2026`; `16–22 November 2026`, `30 November – 6 December 2026`."""
        first, last = self.span.first, self.span.last
        if self.is_month:
            return date_format(first, "F Y")
        if first.year != last.year:
            return f"{date_format(first, 'j F Y')} – {date_format(last, 'j F Y')}"
        if first.month != last.month:
            return f"{date_format(first, 'j F')} – {date_format(last, 'j F Y')}"
        return f"{first.day}–{date_format(last, 'j F Y')}"

    @cached_property
    def count(self) -> int:
        return len({entry.event.pk for day in self.days if day.inside for entry in day.entries})

    @property
    def span_beside(self) -> Month | Week | None:
        if self.beside is None or self.beside.starts_at is None:
            return None
        day, _last = days_of(self.beside.starts_at, None, days.zone_named(self.beside.timezone))
        return type(self.span).of(day, self.weeks[0][0].first.weekday())

    @property
    def is_elsewhere(self) -> bool:
        return any(entry.is_elsewhere for day in self.days for entry in day.entries)

    @property
    def my_zone(self) -> str:
        return days.zone_name(self.mine)

    @property
    def has_today(self) -> bool:
        return self.span.first <= self.today <= self.span.last

    @property
    def month(self) -> Month:
        """Of a week, the month that most of it is in."""
        return self.span if isinstance(self.span, Month) else Month.of(self.span.first + 3 * DAY)

    @property
    def week(self) -> Week:
        """Of a month, the present week where that is in it, else its first."""
        if isinstance(self.span, Week):
            return self.span
        return Week.of(self.today if self.has_today else self.span.first, self.span.begins)


def calendar(organization: Organization, *, month: str = "", week: str = "", now: datetime | None = None) -> Calendar:
    """The week or month that is asked for by its name; the present month for whatever is none."""
    now = now or timezone.now()
    mine, begins = timezone.get_current_timezone(), days.week_begins()
    today = now.astimezone(mine).date()
    span = Week.parse(week, begins) or Month.parse(month, begins)
    span = span or (Week.of(today, begins) if week else Month.of(today, begins))
    weeks, on = span.weeks, _by_day(organization, span.weeks, now, mine)
    rows = [
        (one, [Day(day, on.get(day, ()), span.first <= day <= span.last, today) for day in one.days]) for one in weeks
    ]
    shown = Calendar(span, rows, today, mine)
    return shown if shown.count else Calendar(span, rows, today, mine, _beside(organization, span))


def _by_day(organization: Organization, weeks: Sequence[Week], now: datetime, mine: tzinfo) -> dict[date, list[Entry]]:
    begin, end = weeks[0].first, weeks[-1].last
    on: dict[date, list[Entry]] = {}
    events = queries.between(organization, begin, end)
    counts = queries.counts_of(events)
    for event in events:
        first, last = days_of(event.starts_at, event.ends_at, days.zone_named(event.timezone))  # type: ignore[arg-type]
        day, row = max(first, begin), EventRow(event, now, counts[event.pk])
        while day <= min(last, end):
            on.setdefault(day, []).append(Entry(row, day, first, last, mine))
            day += DAY
    for entries in on.values():  # by the clock on the wall, and not by the moment: what goes on comes first
        entries.sort(key=lambda entry: (not entry.continues, entry.starts.time(), entry.event.sort_name))
    return on


def _beside(organization: Organization, span: Month | Week) -> Event | None:
    """Nothing lies on the span's own days, so a day of UTC more or less leads to nothing inside it."""
    with_start = queries.shown(organization).exclude(starts_at=None).defer("payload", "search")
    begin, end = (datetime.combine(day, time(), UTC) for day in (span.first + DAY, span.last))
    later = with_start.filter(sort_start__gte=end).order_by("sort_start", "id").first()
    return later or with_start.filter(sort_start__lt=begin).order_by("-sort_start", "-id").first()
