"""What was refused: exact numbers, the newest samples, and for each the reason with its fix."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from organizer.accounts.models import Organization
from organizer.kit.paging import KeysetPage, keyset_page
from organizer.webhooks import queries
from organizer.webhooks.filters import Filters, Parameters
from organizer.webhooks.models import Reason, Rejection, Vendor

ORDER = ("-at", "-id")
FIXES: Mapping[str, Promise] = {
    Reason.PAYLOAD_TOO_LARGE: gettext_lazy(
        "Ask the supplier to send the reference and little else: a webhook is a wake-up call."
    ),
    Reason.UNREADABLE: gettext_lazy(
        "The connection ended before the body did, or its length was wrong. The supplier can send it again."
    ),
    Reason.SIGNATURE_MISSING: gettext_lazy("Ask the supplier to sign, or let addresses count instead."),
    Reason.SIGNATURE_INVALID: gettext_lazy(
        "Another secret, or the body was changed after it was signed. Let the supplier try the test vectors."
    ),
    Reason.SOURCE_NOT_ALLOWED: gettext_lazy("If the address is the supplier's, add it to the list."),
    Reason.VENDOR_DISABLED: gettext_lazy("Switch the supplier on again."),
    Reason.RATE_LIMITED: gettext_lazy("Nothing is lost: it is told when to come back. Raise the rate if it is usual."),
    Reason.TOO_MANY_FAILURES: gettext_lazy("One address failed again and again: mend the signature first."),
    Reason.STORE_UNAVAILABLE: gettext_lazy("The database could not be written. The supplier was asked to repeat it."),
}


@dataclass(frozen=True)
class Count:
    reason: Reason
    number: int
    address: str
    current: bool


@dataclass(frozen=True)
class RejectionRow:
    rejection: Rejection
    vendor: Vendor

    @property
    def reason(self) -> str:
        return reason_words(self.rejection.reason)

    @property
    def found_elsewhere(self) -> bool:
        return bool(self.rejection.found_in)

    @property
    def is_still_so(self) -> bool:
        """The supplier is set as it was then."""
        return self.rejection.signature_header == self.vendor.signature_header

    @property
    def why(self) -> str:
        one = self.rejection
        said = {"found": one.found_in, "header": one.signature_header, "address": one.source, "size": one.size}
        if one.found_in and one.would_match:
            return _("The signature was in %(found)s and it is right: this supplier was set to %(header)s.") % said
        if one.found_in:
            return _("There was a signature in %(found)s, not in %(header)s, and it belongs to another secret.") % said
        if one.reason == Reason.SIGNATURE_MISSING:
            return _("There was no signature in %(header)s, nor in any other header.") % said
        if one.reason == Reason.SIGNATURE_INVALID:
            return _("The signature in %(header)s does not belong to this body.") % said
        if one.reason == Reason.SOURCE_NOT_ALLOWED:
            return (
                _("%(address)s is not on the supplier's list.") % said if one.source else _("Nobody knows from where.")
            )
        return ""

    @property
    def fix(self) -> str:
        if self.rejection.would_match:
            return _("Change the header here.") if self.is_still_so else _("The header has been changed since.")
        return str(FIXES.get(self.rejection.reason, ""))

    @property
    def where(self) -> str:
        """Which page of the supplier mends it: "edit", "detail" or none."""
        one = self.rejection
        if one.would_match:
            return "edit" if self.is_still_so else ""
        if one.reason == Reason.VENDOR_DISABLED:
            return "" if self.vendor.active else "detail"
        if one.reason in (Reason.SIGNATURE_INVALID, Reason.SIGNATURE_MISSING):
            return "edit" if one.found_in else "detail"
        return "edit" if one.reason == Reason.SOURCE_NOT_ALLOWED else ""


@dataclass(frozen=True)
class Asked(Filters):
    """Time and supplier are asked for in the words of the list of deliveries; the rest of them means nothing here."""

    reason: str = ""

    @classmethod
    def read(cls, parameters: Parameters, zone: tzinfo = UTC) -> "Asked":
        found, reason = Filters.read(parameters, zone), parameters.get("reason")
        return cls(
            vendor=found.vendor, range=found.range, since=found.since, until=found.until,
            reason=reason if reason in Reason.values else "",
        )  # fmt: skip

    def pairs(self) -> list[tuple[str, str]]:
        return [*super().pairs(), *([("reason", self.reason)] if self.reason else [])]


@dataclass(frozen=True)
class Rejected:
    counts: Sequence[Count]
    page: KeysetPage[Rejection]
    rows: Sequence[RejectionRow]

    @property
    def total(self) -> int:
        return sum(one.number for one in self.counts)


def rejected(
    organization: Organization, vendors: Sequence[Vendor], asked: Asked, *, cursor: str, now: datetime
) -> Rejected:
    since, until = asked.span(now)
    by_id = {one.pk: one for one in vendors}
    chosen = [one for one in vendors if one.key == asked.vendor]
    rows = _rows(organization, chosen, asked, since, until)
    found = keyset_page(rows, order=ORDER, cursor=cursor, filters=asked.address())
    counts = queries.refused_by_reason(chosen if asked.vendor else vendors, since, until)
    return Rejected(_counts(counts, asked), found, [RejectionRow(one, by_id[one.vendor_id]) for one in found.rows])


def _rows(
    organization: Organization, chosen: Sequence[Vendor], asked: Asked, since: datetime | None, until: datetime | None
) -> QuerySet[Rejection]:
    rows = Rejection.objects.filter(organization=organization)
    if since:
        rows = rows.filter(at__gte=since)
    if until:
        rows = rows.filter(at__lt=until)
    if asked.vendor:
        rows = rows.filter(vendor__in=chosen)
    return rows.filter(reason=asked.reason) if asked.reason else rows


def _counts(counted: Mapping[tuple[str, str], int], asked: Asked) -> Sequence[Count]:
    numbers: dict[str, int] = {}
    for (_key, reason), number in counted.items():
        numbers[reason] = numbers.get(reason, 0) + number
    known = [(Reason(reason), number) for reason, number in numbers.items() if reason in Reason.values]
    return [
        Count(reason, number, asked.address(reason="" if asked.reason == reason else reason), asked.reason == reason)
        for reason, number in sorted(known, key=lambda one: -one[1])
    ]


def reason_words(reason: str) -> str:
    return str(Reason(reason).label) if reason in Reason.values else reason.replace("_", " ")
