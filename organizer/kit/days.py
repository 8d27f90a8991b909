"""Times as people say them: the day in words where it is near, exact where somebody asks."""

from datetime import UTC, date, datetime, tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.utils.formats import date_format, get_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from organizer.kit.calendars import MONDAY

MINUTE, HOUR = 60, 3600


def day_time(at: datetime, *, now: datetime, zone: tzinfo, mine: tzinfo | None = None) -> str:
    """`Today 19:00`, `Saturday 18:30` within a week, `28 Nov 18:30` within the year."""
    return f"{day(at, now=now, zone=zone, mine=mine)} {at.astimezone(zone):%H:%M}"


def day_time_inside(at: datetime, *, now: datetime, zone: tzinfo) -> str:
    """The same inside a sentence: `today 19:00`."""
    said = day(at, now=now, zone=zone)
    near = abs((at.astimezone(zone).date() - now.astimezone(zone).date()).days) < 2
    return f"{said.lower() if near else said} {at.astimezone(zone):%H:%M}"


def day(at: datetime, *, now: datetime, zone: tzinfo, mine: tzinfo | None = None) -> str:
    """Near days are the person's, in `mine`; where it is another day there than in `zone`, the date is said."""
    mine = mine or zone
    local, today = at.astimezone(zone), now.astimezone(mine).date()
    distance = (local.date() - today).days
    near = {-1: _("Yesterday"), 0: _("Today"), 1: _("Tomorrow")}.get(distance)
    if near and local.date() == at.astimezone(mine).date():
        return near
    if 1 < distance < 7:
        return said(local, "l")
    return said(local, "j M" if local.year == today.year else "j M Y")


def exact(at: datetime, *zones: tzinfo) -> str:
    """The same moment in each zone, for whoever hovers: what is said above is short on purpose."""
    times = ((at.astimezone(zone), zone_name(zone)) for zone in zones)
    return " · ".join(f"{said(time, 'D j M Y')}, {time:%H:%M} {name}" for time, name in times)


def said(day: date, format: str) -> str:  # noqa: A002 - as Django has it
    """A date in Django's format, without its time: a page says few days, each many times."""
    return _said(day.year, day.month, day.day, format, get_language())


@lru_cache(2000)
def _said(year: int, month: int, day: int, format: str, _language: str | None) -> str:  # noqa: A002
    return date_format(date(year, month, day), format)


def ago(at: datetime, *, now: datetime) -> str:
    """`12 s ago`; static/js/time.js says the same words while the page stays open."""
    seconds = max(0, int((now - at).total_seconds()))
    if seconds < MINUTE:
        return _("%(n)s s ago") % {"n": seconds}
    if seconds < HOUR:
        return _("%(n)s min ago") % {"n": seconds // MINUTE}
    return ""


@cache
def zones() -> frozenset[str]:
    """The names of all; kept, because asking for them reads a folder of 600 files."""
    return frozenset(available_timezones())


def zone_named(name: str) -> tzinfo:
    """A provider may send a zone that nobody knows: its times are then shown in UTC."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


@lru_cache(1000)
def zone_name(zone: tzinfo) -> str:
    return str(zone).rpartition("/")[2].replace("_", " ")


def week_begins() -> int:
    """As the language has it; plain English names no country, and takes the international Monday."""
    return MONDAY if get_language() in (None, "en") else (int(get_format("FIRST_DAY_OF_WEEK")) - 1) % 7
