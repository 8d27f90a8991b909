"""The list of deliveries: a page of it, how many there are, and what has come since."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.functional import Promise

from organizer.accounts.models import Organization
from organizer.kit.paging import SIZE, KeysetPage, keyset_page
from organizer.webhooks import finding, queries, registry
from organizer.webhooks.filters import LATE, Filters
from organizer.webhooks.models import Delivery, Vendor
from organizer.webhooks.queries import MOST_COUNTED, ORDER
from organizer.webhooks.rows import DeliveryRow

NOT_LISTED = ("body", "headers")
MOST_NEWS = 100


@dataclass(frozen=True)
class Scope:
    """Whose deliveries, which of them, and as seen from when."""

    organization: Organization
    filters: Filters
    now: datetime

    @classmethod
    def of(cls, organization: Organization, filters: Filters) -> "Scope":
        return cls(organization, filters, timezone.now())

    @cached_property
    def vendors(self) -> Sequence[Vendor]:
        return queries.vendors(self.organization)

    @cached_property
    def vendor(self) -> Vendor | None:
        return next((one for one in self.vendors if one.key == self.filters.vendor), None)

    @cached_property
    def span(self) -> tuple[datetime | None, datetime | None]:
        return self.filters.span(self.now)

    @cached_property
    def found(self) -> finding.Found | None:
        if not self.filters.q:
            return None
        everything = Delivery.objects.filter(organization=self.organization)
        return finding.find(everything, [one.pk for one in self.vendors], self.filters.q)

    @property
    def taken_for(self) -> Promise | None:
        return self.found.kind if self.found else None

    @cached_property
    def rows(self) -> QuerySet[Delivery]:
        """All that the filters say, in any order."""
        filters = self.filters
        rows = self.found.rows if self.found else Delivery.objects.filter(organization=self.organization)
        if self.vendor and replace(filters, range="", since=None, until=None, vendor="", outcome="") == Filters():
            rows = Delivery.objects.all()  # a supplier's own indexes know no organization
        since, until = self.span
        if since:
            rows = rows.filter(received_at__gte=since)
        if until:
            rows = rows.filter(received_at__lt=until)
        if filters.outcome:
            rows = rows.filter(outcome=filters.outcome)
        if filters.late:
            rows = rows.filter(received_at__lt=self.now - LATE)
        if filters.vendor:
            # a key that is nobody's finds nothing
            rows = rows.filter(vendor=self.vendor) if self.vendor else rows.none()
        if filters.event:
            rows = rows.filter(event=filters.event)
        if filters.auth:
            rows = rows.filter(auth=filters.auth)
        if filters.repeated:
            rows = rows.filter(duplicates__gt=0)
        if filters.odd:
            rows = rows.filter(odd=True)
        return rows

    @cached_property
    def count(self) -> int:
        """One more than `MOST_COUNTED` stands for all beyond."""
        if self.found and self.found.number is not None and self.filters.rows == Filters(q=self.filters.q):
            return self.found.number
        return queries.capped(self.rows)

    @property
    def is_more(self) -> bool:
        return self.count > MOST_COUNTED


def page(scope: Scope, cursor: str) -> KeysetPage[Delivery]:
    filters = scope.filters.rows.address()
    return keyset_page(scope.rows.defer(*NOT_LISTED), order=ORDER, cursor=cursor, filters=filters, size=SIZE)


def rows_of(scope: Scope, deliveries: Sequence[Delivery]) -> Sequence[DeliveryRow]:
    vendors = {one.pk: one for one in scope.vendors}
    sequel = registry.sequel()
    links, excerpts, notes = sequel.links(deliveries), sequel.excerpts(deliveries), queries.notes(deliveries)
    return [
        DeliveryRow(one, vendors[one.vendor_id], links.get(one.pk, ""), excerpts.get(one.pk, ""), notes.get(one.pk))
        for one in deliveries
    ]


def newer(scope: Scope, than: datetime) -> int:
    """How many came after the newest that somebody has on screen; `MOST_NEWS` stands for that many and more."""
    return scope.rows.filter(received_at__gt=than).order_by()[:MOST_NEWS].count()


def changed(scope: Scope, said: Sequence[str]) -> Sequence[DeliveryRow]:
    """Of the rows on somebody's screen, `<id>.<version>`, those that say something else by now."""
    versions: dict[int, str] = {}
    for one in said[:SIZE]:
        key, _dot, version = one.partition(".")
        if key.isdecimal() and len(key) < 19:
            versions[int(key)] = version
    mine = Delivery.objects.filter(organization=scope.organization, pk__in=versions).defer(*NOT_LISTED)
    return [row for row in rows_of(scope, list(mine)) if row.version != versions[row.delivery.pk]]
