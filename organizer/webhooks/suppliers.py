"""How suppliers are: what came of late, and what is still missing before one may go live."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

from django.conf import settings
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.webhooks import queries, registry, tallies
from organizer.webhooks.health import WEEK, percent
from organizer.webhooks.models import Auth, Rejection, Vendor, VendorSecret
from organizer.webhooks.queries import MOST_COUNTED
from organizer.webhooks.registry import Told
from organizer.webhooks.rejections import reason_words
from organizer.webhooks.rules import RECEIVED_AT
from organizer.webhooks.tallies import Span, Tally

QUIET_AFTER = timedelta(hours=24)
MOST_IN_LIST = 1_000
POOR = 0.9
LATEST = datetime(9999, 1, 1, tzinfo=UTC)
"""Nothing is newer, whatever a clock says."""


@dataclass(frozen=True)
class Facts:
    """What its line says of a supplier: read for one or for many at once."""

    secrets: Sequence[VendorSecret]
    last_at: datetime | None
    refused_at: datetime | None
    refusals: int
    """In 24 hours, exactly."""
    day: Tally
    week: Tally
    told: Told


@dataclass(frozen=True)
class VendorRow:
    vendor: Vendor
    now: datetime
    facts: Facts

    @classmethod
    def of(cls, vendor: Vendor, now: datetime) -> "VendorRow":
        return rows_of([vendor], now, most=MOST_COUNTED)[0]

    @property
    def address(self) -> str:
        """Where it delivers to."""
        return address(self.vendor)

    @property
    def signs(self) -> bool:
        return self.vendor.auth == Auth.HMAC

    @property
    def secrets(self) -> Sequence[VendorSecret]:
        return self.facts.secrets

    @property
    def secret(self) -> VendorSecret | None:
        return next((one for one in self.secrets if one.ends_at is None), None)

    @property
    def old_secrets(self) -> Sequence[VendorSecret]:
        return [one for one in self.secrets if one.ends_at]

    @property
    def last_at(self) -> datetime | None:
        return self.facts.last_at

    @cached_property
    def last_refused(self) -> Rejection | None:
        return queries.last_rejection(self.vendor)

    @property
    def deliveries(self) -> int:
        return self.facts.day.total

    @property
    def is_more(self) -> bool:
        return self.facts.day.full

    @property
    def refusals(self) -> int:
        return self.facts.refusals

    @property
    def success(self) -> str:
        return percent(self.facts.week.success)

    @property
    def is_poor(self) -> bool:
        """So much came to nothing that somebody should look."""
        share = self.facts.week.success
        return share is not None and share < POOR

    @property
    def missed(self) -> str:
        told = self.facts.told
        return percent(told.missed / told.changes) if told.changes else ""

    @property
    def lacks_secret(self) -> bool:
        return self.signs and not self.secrets

    @property
    def state(self) -> tuple[str, str, str]:
        """Colour, icon and words."""
        last_at, refused_at = self.last_at, self.facts.refused_at
        if not self.vendor.active:
            return "mute", "player-pause", _("Switched off")
        if self.lacks_secret:
            return "stop", "alert-triangle", _("No secret")
        if last_at is None:
            word = _("Refused so far") if refused_at else _("Nothing yet")
            return ("warn", "alert-triangle", word) if refused_at else ("mute", "circle-dashed", word)
        if self.refusals and refused_at and refused_at > last_at:
            return "warn", "alert-triangle", _("The last was refused")
        if self.now - last_at > QUIET_AFTER:
            return "mute", "clock", _("Quiet")
        return "ok", "f-circle-check", _("Delivering")


@dataclass(frozen=True)
class Sender:
    """Somebody who still signs by an old secret."""

    source: str | None
    number: int
    last_at: datetime


def old_senders(row: VendorRow) -> Sequence[Sender]:
    """Of the last 24 hours, the latest first."""
    if not row.old_secrets:
        return []
    seen = queries.by_old_secret(row.vendor, queries.day_before(row.now))
    times: dict[str | None, list[datetime]] = {}
    for source, at in seen:
        times.setdefault(source, []).append(at)
    return [Sender(source, len(found), found[0]) for source, found in times.items()]


@dataclass(frozen=True)
class Tick:
    title: str
    text: str
    at: datetime | None = None
    done: bool = False


@dataclass(frozen=True)
class Checklist:
    ticks: Sequence[Tick]
    refused: Rejection | None
    """What was refused since the last delivery."""

    @property
    def is_done(self) -> bool:
        return all(tick.done for tick in self.ticks)

    @property
    def refused_because(self) -> str:
        return reason_words(self.refused.reason) if self.refused else ""


def address(vendor: Vendor) -> str:
    return f"{settings.PUBLIC_URL}{RECEIVED_AT}/{vendor.key}"


def rows(organization: Organization, now: datetime) -> Sequence[VendorRow]:
    return rows_of(queries.vendors(organization), now)


def rows_of(vendors: Sequence[Vendor], now: datetime, *, most: int = MOST_IN_LIST) -> Sequence[VendorRow]:
    """As many queries for all as for one."""
    day, week = queries.day_before(now), now - WEEK
    spans = [Span(one.pk, since, LATEST, most) for one in vendors for since in (day, week)]
    counted = tallies.counted(spans)
    secrets, latest = queries.secrets_of(vendors, now), queries.latest(vendors)
    refusals = queries.refused_by_reason(vendors, day)
    told = registry.sequel().told(vendors, week)
    rows = []
    for at, one in enumerate(vendors):
        facts = Facts(
            secrets=secrets.get(one.pk, ()), last_at=latest[one.pk][0], refused_at=latest[one.pk][1],
            refusals=sum(number for (key, _reason), number in refusals.items() if key == one.key),
            day=counted[2 * at], week=counted[2 * at + 1], told=told.get(one.pk, Told()),
        )  # fmt: skip
        rows.append(VendorRow(one, now, facts))
    return rows


def checklist(row: VendorRow) -> Checklist:
    vendor, last_at, refused = row.vendor, row.last_at, row.last_refused
    first = last_at or (refused.at if refused else None)
    matched = registry.sequel().matched_at(vendor)
    found = queries.any_reference(vendor) if last_at else False
    known = _("The signature is right") if row.signs else _("The address is allowed")
    ticks = (
        Tick(_("It reached the address"), _("Any request at all, a refused one too."), first, bool(first)),
        Tick(known, _("A delivery was stored."), last_at, last_at is not None),
        Tick(_("A reference was found"), _("By order_id, orderId, reference or id at the top level."), done=found),
        Tick(_("An order was matched"), _("The supplier, asked for the reference, knows it."), matched, bool(matched)),
    )
    since = refused if refused and (last_at is None or refused.at > last_at) else None
    return Checklist(ticks, since)
