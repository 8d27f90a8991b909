"""A member's events for calendar programs: the secret address, and what stands behind it (RFC 5545)."""

import hashlib
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import icalendar
from django.db import transaction
from django.db.models import Q
from django.db.models.fields.json import KT
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from organizer.accounts import audit
from organizer.accounts.access import READERS
from organizer.accounts.models import Membership, Organization, User
from organizer.events import queries
from organizer.events.models import CalendarFeed
from organizer.events.phases import Phase
from organizer.kit.days import zone_name, zone_named
from organizer.sync.rules import moment

PREFIX = "foy_cal_"
"""By it `kit.logs` knows an address wherever it turns up."""
PAST = timedelta(days=366)
MOST = 5_000
NOTED_EVERY = timedelta(hours=1)
REFRESHED_EVERY = timedelta(hours=1)
_COUNTED_FROM = datetime(2020, 1, 1, tzinfo=UTC)
_FORMAT = "1"
"""Part of the tag: another way of writing the same events is news to who has the old one."""
_UNSAYABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Entry:
    id: UUID
    name: str
    status: str
    starts_at: datetime
    ends_at: datetime | None
    timezone: str
    place: str
    changed: str | None
    """When the provider changed it last, as it says it."""

    @property
    def changed_at(self) -> datetime:
        return max(moment(self.changed) or _COUNTED_FROM, _COUNTED_FROM)


def make(*, membership: Membership, by: User) -> str:
    """A new token; the one before it is of no use from now on."""
    token = PREFIX + secrets.token_urlsafe(32)
    fresh = {"token_hash": _hash(token), "created_at": timezone.now(), "fetched_at": None}
    with transaction.atomic():
        _, made = CalendarFeed.objects.update_or_create(membership=membership, defaults=fresh)
        verb = "calendar_address.made" if made else "calendar_address.renewed"
        audit.record(verb, target=membership, organization=membership.organization, by=by)
    return token


def end(*, membership: Membership, by: User) -> bool:
    with transaction.atomic():
        ended, _ = CalendarFeed.objects.filter(membership=membership).delete()
        if ended:
            audit.record(
                "calendar_address.switched_off", target=membership, organization=membership.organization, by=by
            )
    return bool(ended)


def of(membership: Membership) -> CalendarFeed | None:
    return CalendarFeed.objects.filter(membership=membership).first()


def find(token: str) -> Membership | None:
    """Whose it is, as long as they may read events."""
    may = Q(membership__role__in=READERS, membership__user__is_active=True)
    found = CalendarFeed.objects.filter(may, token_hash=_hash(token)).select_related("membership__organization").first()
    if found is None:
        return None
    now = timezone.now()
    if found.fetched_at is None or now - found.fetched_at > NOTED_EVERY:
        CalendarFeed.objects.filter(pk=found.pk, token_hash=found.token_hash).update(fetched_at=now)
    return found.membership


def entries(organization: Organization, now: datetime | None = None) -> Sequence[Entry]:
    since = (now or timezone.now()) - PAST
    current = queries.shown(organization).exclude(starts_at=None).exclude(status=Phase.DRAFT)
    recent = current.filter(Q(sort_start__gte=since) | Q(ends_at__gte=since)).annotate(
        changed=KT("payload__updated_at")
    )
    columns = ("id", "name", "status", "starts_at", "ends_at", "timezone", "place", "changed")
    return [Entry(*row) for row in recent.order_by("-sort_start", "id").values_list(*columns)[:MOST]]


def tag(organization: Organization, entries: Sequence[Entry]) -> str:
    """Changes when the text would; costs no writing of it."""
    said = repr([_FORMAT, organization.name, organization.slug, *map(astuple, entries)])
    return hashlib.sha256(said.encode(errors="replace")).hexdigest()[:32]


def text(organization: Organization, entries: Sequence[Entry], *, page: Callable[[str], str]) -> bytes:
    """`page` makes a whole address of one of ours."""
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Foyer//Events//EN")
    calendar.add("version", "2.0")
    for name in ("name", "x-wr-calname"):
        calendar.add(name, _clean(organization.name))
    calendar.add("refresh-interval", REFRESHED_EVERY, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT1H")
    for entry in entries:
        address = page(reverse("events:detail", args=[organization.slug, entry.id]))
        calendar.add_component(_component(entry, address))
    return calendar.to_ical()


def _component(entry: Entry, address: str) -> icalendar.Event:
    """Instants are in UTC: nothing recurs here, and they are the same wherever they are read."""
    event = icalendar.Event()
    values: dict[str, Any] = {
        "uid": str(entry.id),
        "dtstamp": entry.changed_at.astimezone(UTC),
        "last-modified": entry.changed_at.astimezone(UTC),
        "sequence": int(
            (entry.changed_at - _COUNTED_FROM).total_seconds()
        ),  # grows with each change, and is kept nowhere
        "summary": _clean(entry.name),
        "dtstart": entry.starts_at.astimezone(UTC),
        "status": "CANCELLED" if entry.status == Phase.CANCELLED else "CONFIRMED",
        "url": address,
        "description": _when(entry),
    }
    if entry.ends_at and entry.ends_at > entry.starts_at:
        values["dtend"] = entry.ends_at.astimezone(UTC)
    if entry.place:
        values["location"] = _clean(entry.place)
    for name, value in values.items():
        event.add(name, value)
    return event


def _when(entry: Entry) -> str:
    """By the clock of the place: whoever travels reads it there."""
    zone = zone_named(entry.timezone)
    return f"{date_format(entry.starts_at.astimezone(zone), 'l j F Y, H:i')}, {zone_name(zone)}"


def _clean(words: str) -> str:
    """Line breaks are escaped; what RFC 5545 forbids altogether is left out."""
    return _UNSAYABLE.sub("", words.replace("\r\n", "\n").replace("\r", "\n"))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
