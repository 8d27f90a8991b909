"""What there is to judge of an organization's suppliers: each condition is one query by an index, and a rule."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q, Sum

from organizer.accounts.models import Organization
from organizer.alerts import gaps, rules, volumes
from organizer.alerts.models import Alert, Condition
from organizer.alerts.rules import Limits, Verdict
from organizer.orders import queries as orders
from organizer.orders.models import Order
from organizer.orders.rows import WHY
from organizer.webhooks import queries as webhooks
from organizer.webhooks.models import Delivery, Outcome, Purpose, Tally, Vendor, VendorSecret

HOUR, WEEK = timedelta(hours=1), timedelta(days=7)
MOST_LOOKED_AT = 5_000
_SETTLED = (Outcome.CHANGED, Outcome.UNCHANGED, Outcome.NO_MATCH, Outcome.FAILED)
Key = tuple[str, str]
"""The supplier's id, empty for the organization itself, and the condition."""


@dataclass(frozen=True)
class Finding:
    condition: Condition
    vendor: Vendor | None
    verdict: Verdict
    began_at: datetime
    """Of what it is about: from then on its deliveries are listed."""

    @property
    def key(self) -> Key:
        return (self.vendor.pk.hex if self.vendor else "", self.condition.value)


@dataclass(frozen=True)
class Look:
    """At an organization, at a moment. `standing` are the alerts that are not closed."""

    organization: Organization
    limits: Limits
    now: datetime
    standing: Mapping[Key, Alert] = field(default_factory=dict)

    def findings(self) -> Iterator[Finding]:
        """Of what is watched. What is not found is over."""
        vendors = [one for one in webhooks.vendors(self.organization) if one.active]
        by_id = {one.pk: one for one in vendors}
        named = {
            Condition.REJECTS: lambda: self._rejects(vendors),
            Condition.WAITING: lambda: self._waiting(vendors),
            Condition.OLD_SECRET: lambda: self._old_secrets(vendors),
            Condition.LATE: self._late,
            Condition.GROWTH: self._growth,
        }
        for condition, find in named.items():
            if self.limits.watches(condition):
                yield from find()
        for vendor_id, (last_at, _refused_at) in webhooks.latest(vendors).items():
            if last_at is not None:
                yield from self._of_vendor(by_id[vendor_id], last_at)

    def _stands(self, vendor: Vendor | None, condition: Condition) -> Alert | None:
        alert = self.standing.get((vendor.pk.hex if vendor else "", condition.value))
        return alert if alert and alert.holds else None

    def _rejects(self, vendors: list[Vendor]) -> Iterator[Finding]:
        by_key = {one.pk.hex: one for one in vendors}
        hour = Tally.objects.filter(of__in=by_key, minute__gt=self.now - HOUR).values_list("of")
        for of, recent in hour.annotate(sum=Sum("number")).order_by():
            stands = self._stands(by_key[of], Condition.REJECTS)
            if stands or recent >= self.limits.rejects_floor:
                before = (stands.opened_at if stands else self.now) - HOUR
                verdict = rules.rejects(recent, _usual(of, before), self.limits, stands=bool(stands))
                yield Finding(Condition.REJECTS, by_key[of], verdict, self.now - HOUR)

    def _waiting(self, vendors: list[Vendor]) -> Iterator[Finding]:
        waiting = Delivery.objects.filter(organization=self.organization, outcome=Outcome.WAITING).values_list("vendor")
        found = {of: rest for of, *rest in waiting.annotate(n=Count("pk"), oldest=Min("received_at")).order_by()}
        for vendor in vendors:
            if vendor.pk in found:
                number, oldest = found[vendor.pk]
                stands = bool(self._stands(vendor, Condition.WAITING))
                verdict = rules.waiting(number, oldest, self.limits, self.now, stands=stands)
                yield Finding(Condition.WAITING, vendor, verdict, oldest)

    def _old_secrets(self, vendors: list[Vendor]) -> Iterator[Finding]:
        by_id = {one.pk: one for one in vendors}
        mine = VendorSecret.objects.filter(vendor__in=by_id, purpose=Purpose.SIGNING)
        ending = mine.filter(ends_at__gt=self.now).order_by("vendor", "-ends_at")
        replaced = dict(mine.filter(ends_at=None).values_list("vendor", "created_at"))
        last = {secret.vendor_id: secret for secret in ending}  # the one that ends first
        for vendor_id, secret in last.items():
            vendor, since = by_id[vendor_id], replaced.get(vendor_id, secret.created_at)
            ends_at, used_at = secret.ends_at or self.now, secret.used_at
            stands = bool(self._stands(vendor, Condition.OLD_SECRET))
            verdict = rules.old_secret(ends_at, used_at, since, self.limits, self.now, stands=stands)
            verdict.measured.update(number=secret.number, last4=secret.last4)
            yield Finding(Condition.OLD_SECRET, vendor, verdict, since)

    def _late(self) -> Iterator[Finding]:
        lines = orders.lateness(self.organization, self.now)
        for_long = orders.late(self.organization, self.now - rules.LATE_FOR) if lines else Order.objects.none()
        long = dict(for_long.values_list("vendor").annotate(n=Count("pk")).order_by())
        for line in lines:
            stands = bool(self._stands(line.vendor, Condition.LATE))
            verdict = rules.late(long.get(line.vendor.pk, 0), line.count, self.limits, stands=stands)
            verdict.measured.update(why=str(WHY[line.why]), problem=line.problem[:500])
            yield Finding(Condition.LATE, line.vendor, verdict, line.oldest)

    def _growth(self) -> Iterator[Finding]:
        volumes.count(self.organization, self.now)
        stands = bool(self._stands(None, Condition.GROWTH))
        verdict = rules.growth(*volumes.of_day(self.organization, self.now), self.limits, stands=stands)
        yield Finding(Condition.GROWTH, None, verdict, self.now - volumes.DAY)

    def _of_vendor(self, vendor: Vendor, at: datetime) -> Iterator[Finding]:
        """`at`: when it delivered last."""
        if self.limits.watches(Condition.QUIET) and self.now - at > timedelta(hours=self.limits.quiet_hours):
            verdict = rules.quiet(self.now, at, *gaps.of(vendor, at), self.limits)
            yield Finding(Condition.QUIET, vendor, verdict, at)
        if self.now - at < HOUR:
            yield from self._outcomes(vendor)

    def _outcomes(self, vendor: Vendor) -> Iterator[Finding]:
        """Of the newest of the last hour."""
        rows = Delivery.objects.filter(vendor=vendor, received_at__gte=self.now - HOUR).order_by("-received_at", "-id")
        found: dict[str, Any] = rows[:MOST_LOOKED_AT].aggregate(
            settled=Count("pk", filter=Q(outcome__in=_SETTLED)),
            unmatched=Count("pk", filter=Q(outcome=Outcome.NO_MATCH)),
            failed=Count("pk", filter=Q(outcome=Outcome.FAILED)),
        )
        if self.limits.watches(Condition.NO_MATCH):
            stands = bool(self._stands(vendor, Condition.NO_MATCH))
            verdict = rules.no_match(found["settled"], found["unmatched"], self.limits, stands=stands)
            yield Finding(Condition.NO_MATCH, vendor, verdict, self.now - HOUR)
        if self.limits.watches(Condition.FAILED):
            stands = bool(self._stands(vendor, Condition.FAILED))
            yield Finding(
                Condition.FAILED, vendor, rules.failed(found["failed"], self.limits, stands=stands), self.now - HOUR
            )


def _usual(of: str, before: datetime) -> float:
    """Refused in an hour of the week before."""
    week = Tally.objects.filter(of=of, minute__gt=before - WEEK, minute__lte=before)
    found: dict[str, Any] = week.aggregate(sum=Sum("number"))
    return (found["sum"] or 0) / (WEEK / HOUR)
