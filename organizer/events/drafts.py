"""What a form begins with: the row as it is, with what is on its way and what was refused laid over it."""

from datetime import date, timedelta
from functools import cache
from typing import Any

from django.db.models import Count
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from organizer.accounts.models import Organization
from organizer.events import times
from organizer.events.models import Event, TicketClass
from organizer.kit import days
from organizer.kit.calendars import day_named
from organizer.sync.models import FAILED, OPEN, Command, Mirrored
from organizer.sync.outcomes import of_fields
from organizer.sync.rules import lay_over

USUAL_CURRENCY = "EUR"
_FIELDS = {
    "start": "starts_at", "end": "ends_at", "location": "address", "venue": "address", "video_link": "link",
    "price": "cost",
}  # fmt: skip
"""By name on the wire: the form's field, where it is called otherwise."""


def failed(row: Mirrored, *kinds: str) -> Command | None:
    """The write of these kinds that came to nothing, and that nobody has set aside."""
    about = Command.objects.filter(target_id=row.pk, kind__in=kinds, state__in=FAILED, seen_at=None)
    return about.order_by("-seq").first()


def laid_over(row: Mirrored, refused: Command | None) -> dict[str, Any]:
    about = Command.objects.filter(target_id=row.pk, kind__startswith=f"{_noun(row)}.", state__in=OPEN).order_by("seq")
    layers = list(about.values_list("fields", flat=True))
    return lay_over(row.payload, [*layers, refused.fields] if refused else layers)


def problems(refused: Command | None) -> dict[str, str]:
    """What the API said, by field of the form; of "" what concerns no field."""
    if refused is None:
        return {}
    found = {_FIELDS.get(path[0], path[0]): message for path, message in of_fields(refused.answer)}
    return found or {"": refused.reason}


def usual(organization: Organization) -> dict[str, Any]:
    """As most events have it."""
    mine = Event.objects.filter(organization=organization, connection__live=True, gone_at=None)
    most = mine.values_list("currency", "timezone").annotate(n=Count("pk")).order_by("-n", "currency").first()
    currency, zone, _number = most or ("", "", 0)
    return {"currency": currency or USUAL_CURRENCY, "timezone": zone or timezone.get_current_timezone_name()}


def on_day(name: str) -> dict[str, Any]:
    """An evening of that day, where somebody came from it."""
    if not (day := day_named(name)):
        return {}
    return {"starts_at": f"{day:%Y-%m-%d}T19:00", "ends_at": f"{day:%Y-%m-%d}T22:00"}


@cache
def zones() -> SafeString:
    """What a form offers, 500 of them."""
    offered = sorted(zone for zone in days.zones() if "/" in zone and not zone.startswith(("Etc/", "posix/")))
    return format_html_join("", '<option value="{}">', ((zone,) for zone in offered))


def a_week_later(event: Event) -> date:
    start = times.local_time(event.starts_at or timezone.now(), event.timezone)
    return start.date() + timedelta(days=7)


def _noun(row: Mirrored) -> str:
    return "ticket_classes" if isinstance(row, TicketClass) else "events"
