"""Local times of an event's zone, as people write them, and the instants that the API is told. Pure."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo


class DoesNotExist(ValueError):
    """The clocks skip it; `instead` is the same distance after the skip."""

    def __init__(self, instead: datetime) -> None:
        super().__init__(f"{instead:%H:%M}")
        self.instead = instead


def zone_meant(said: str, zones: Collection[str]) -> str:
    """The zone of this name, or of this city, however its letters are; two of one city are one zone. "" is none."""
    plain = said.strip().replace(" ", "_").casefold()
    named = [zone for zone in zones if zone.casefold() == plain]
    return max(named or [zone for zone in zones if zone.casefold().endswith(f"/{plain}")], default="")


def instant(local: datetime, zone: str) -> datetime:
    """Of a time that comes twice the first. Raises `DoesNotExist`."""
    moment = local.replace(tzinfo=ZoneInfo(zone), fold=0).astimezone(UTC)
    back = local_time(moment, zone)
    if back != local:
        raise DoesNotExist(back)
    return moment


def local_time(moment: datetime, zone: str) -> datetime:
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def wire(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def when(moment: datetime, zone: str) -> dict[str, Any]:
    """As the API writes an event's start and end."""
    return {"utc": wire(moment), "timezone": zone}


def moved(moment: datetime, zone: str, days: int) -> datetime:
    """So many days later at the same time by the clock; where the clocks skip that time, just after it."""
    local = local_time(moment, zone) + timedelta(days=days)
    try:
        return instant(local, zone)
    except DoesNotExist as skipped:
        return instant(skipped.instead, zone)
