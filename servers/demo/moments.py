"""Turns the plan's days and offsets into moments, as seen from a `now` that is handed in."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from servers.demo.events import EventPlan

DOORS = timedelta(hours=1)
EARLY = timedelta(hours=2)


def start(event: EventPlan, now: datetime) -> datetime:
    """Today (or the event's day, counted from today) where the event is, at its local hour."""
    zone = ZoneInfo(event.timezone)
    day = now.astimezone(zone).date() + timedelta(days=event.day)
    return datetime.combine(day, time.fromisoformat(event.starts), zone).astimezone(UTC)


def end(event: EventPlan, now: datetime) -> datetime:
    return start(event, now) + timedelta(hours=event.hours)


def days_behind(event: EventPlan, stored_start: datetime, now: datetime) -> timedelta:
    """How far a stored event must move so that it is on its day again. Whole local days: its hour is kept."""
    zone = ZoneInfo(event.timezone)
    stored = stored_start.astimezone(zone)
    day = now.astimezone(zone).date() + timedelta(days=event.day)
    moved = datetime.combine(day, stored.time(), zone)
    return moved.astimezone(UTC) - stored_start


def arrival(event: EventPlan, offset: timedelta, now: datetime) -> datetime:
    """When a checked-in guest came: around the start, or, while that is still to come, in the last two hours."""
    begins = start(event, now)
    if begins + offset <= now:
        return begins + offset
    # the offsets run from an hour before the start to two hours after it
    part = (offset + DOORS) / (DOORS + timedelta(hours=2))
    opened = min(begins - DOORS, now - EARLY)
    return opened + (now - opened) * part
