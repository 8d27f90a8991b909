"""Times on the wire: an instant, or a local time in a named zone."""

import re
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?$"
_YEARS = range(1900, 9000)


class CouldNotRead(ValueError):
    """The message tells the sender what to write instead."""


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def zone(name: str) -> ZoneInfo:
    if name not in _zones():
        raise CouldNotRead(f"{name!r} is not a time zone of the IANA database, such as Europe/Berlin.")
    return ZoneInfo(name)


def instant(written: str, zone: ZoneInfo) -> datetime:
    """The instant; without an offset it is local time in `zone`, and the first of two where clocks went back."""
    if not re.match(PATTERN, written):
        raise CouldNotRead("Write a time as 2026-11-21T19:00:00Z, or without Z as local time.")
    try:
        read = datetime.fromisoformat(written)
        if read.year not in _YEARS:
            raise CouldNotRead("The year is out of range.")
        return read.astimezone(UTC) if read.tzinfo else _from_local(read, zone)
    except CouldNotRead:
        raise
    except (ValueError, OverflowError):
        raise CouldNotRead(f"{written} is not a time that exists.") from None


def _from_local(local: datetime, zone: ZoneInfo) -> datetime:
    moment = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) != local:
        valid = _end_of_gap(local, zone).strftime("%Y-%m-%dT%H:%M:%S")
        raise CouldNotRead(f"{local.isoformat()} does not exist in {zone.key}: the next valid time is {valid}.")
    return moment


def _end_of_gap(local: datetime, zone: ZoneInfo) -> datetime:
    """The first local time after clocks were put forward over `local`."""
    # read with the offset after the change the instant lies before the change, and the other way round
    before = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    after = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    old = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if middle <= before:
            break
        if middle.astimezone(zone).utcoffset() == old:
            before = middle
        else:
            after = middle
    return after.astimezone(zone).replace(tzinfo=None)
