"""How suppliers are: what came of late, and what is still missing before one may go live."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.conf import settings
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.webhooks import queries, registry
from organizer.webhooks.models import Auth, Delivery, Rejection, Vendor, VendorSecret
from organizer.webhooks.queries import MOST_COUNTED
from organizer.webhooks.rejections import reason_words

QUIET_AFTER = timedelta(hours=24)


@dataclass(frozen=True)
class VendorRow:
    vendor: Vendor
    now: datetime

    @property
    def address(self) -> str:
        """Where it delivers to."""
        return f"{settings.PUBLIC_URL}/api/webhooks/{self.vendor.key}"

    @property
    def signs(self) -> bool:
        return self.vendor.auth == Auth.HMAC

    @cached_property
    def secrets(self) -> Sequence[VendorSecret]:
        return queries.signing_secrets(self.vendor, self.now)

    @property
    def secret(self) -> VendorSecret | None:
        return next((one for one in self.secrets if one.ends_at is None), None)

    @property
    def old_secrets(self) -> Sequence[VendorSecret]:
        return [one for one in self.secrets if one.ends_at]

    @cached_property
    def last(self) -> Delivery | None:
        return queries.last_delivery(self.vendor)

    @cached_property
    def last_refused(self) -> Rejection | None:
        return queries.last_rejection(self.vendor)

    @cached_property
    def deliveries(self) -> int:
        rows = Delivery.objects.filter(vendor=self.vendor, received_at__gte=queries.day_before(self.now))
        return queries.capped(rows)

    @property
    def is_more(self) -> bool:
        return self.deliveries > MOST_COUNTED

    @cached_property
    def refusals(self) -> int:
        return queries.refusals([self.vendor.pk], queries.day_before(self.now))

    @property
    def lacks_secret(self) -> bool:
        return self.signs and not self.secrets

    @property
    def state(self) -> tuple[str, str, str]:
        """Colour, icon and words."""
        if not self.vendor.active:
            return "mute", "player-pause", _("Switched off")
        if self.lacks_secret:
            return "stop", "alert-triangle", _("No secret")
        if self.last is None:
            word = _("Refused so far") if self.last_refused else _("Nothing yet")
            return ("warn", "alert-triangle", word) if self.last_refused else ("mute", "circle-dashed", word)
        if self.refusals and self.last_refused and self.last_refused.at > self.last.received_at:
            return "warn", "alert-triangle", _("The last was refused")
        if self.now - self.last.received_at > QUIET_AFTER:
            return "mute", "clock", _("Quiet")
        return "ok", "f-circle-check", _("Delivering")


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


def rows(organization: Organization, now: datetime) -> Sequence[VendorRow]:
    return [VendorRow(one, now) for one in queries.vendors(organization)]


def checklist(row: VendorRow) -> Checklist:
    vendor, last, refused = row.vendor, row.last, row.last_refused
    first = last.received_at if last else refused.at if refused else None
    matched = registry.sequel().matched_at(vendor)
    found = queries.any_reference(vendor) if last else False
    known = _("The signature is right") if row.signs else _("The address is allowed")
    ticks = (
        Tick(_("It reached the address"), _("Any request at all, a refused one too."), first, bool(last or refused)),
        Tick(known, _("A delivery was stored."), last.received_at if last else None, last is not None),
        Tick(_("A reference was found"), _("By order_id, orderId, reference or id at the top level."), done=found),
        Tick(_("An order was matched"), _("The supplier, asked for the reference, knows it."), matched, bool(matched)),
    )
    since = refused if refused and (last is None or refused.at > last.received_at) else None
    return Checklist(ticks, since)
