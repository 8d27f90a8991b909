"""Which orders a person means: those of deliveries or of orders that a list shows, or those that were ticked.

The same words choose the same again, so that what was looked over is what is started.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import batched
from math import ceil
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Q
from django.http import QueryDict

from organizer.accounts.models import Organization
from organizer.kit.text import clean
from organizer.orders import gate, queries
from organizer.orders.models import BulkItem, Gate, Order
from organizer.webhooks import listings
from organizer.webhooks import queries as webhooks
from organizer.webhooks.deliveries import Scope
from organizer.webhooks.models import Action, Found, Outcome, Vendor

DELIVERIES, ORDERS, BULK = "deliveries", "orders", "bulk"
MOST = 10_000
QUESTIONS = 2
"""For an order at most: how it stands, and its tickets."""
_TOGETHER = 500


@dataclass(frozen=True)
class Asked:
    """What the address or the form says."""

    source: str
    filters: str = ""
    ids: tuple[UUID, ...] = ()

    @classmethod
    def read(cls, said: QueryDict) -> "Asked":
        source = said.get("of", "")
        found = (_id(one) for one in said.getlist("id")[: MOST + 1])
        ids = tuple(one for one in found if one)
        return cls(
            source if source in (DELIVERIES, ORDERS, BULK) else ORDERS,
            clean(said.get("filters", ""))[:16_000],
            () if said.get("all") == "1" else ids,
        )


@dataclass(frozen=True)
class Chosen:
    asked: Asked
    orders: Sequence[tuple[UUID, str]]
    """By supplier's key and reference, each once."""
    unread: Sequence[tuple[UUID, int]] = ()
    """Deliveries without an order in them, by supplier's key and their own."""
    deliveries: int = 0
    unknown: int = 0
    """References that are no orders of ours: nobody is asked about them."""
    is_more: bool = False
    """Only the newest `MOST` are among them."""


def choose(organization: Organization, asked: Asked, now: datetime) -> Chosen:
    match asked.source:
        case "deliveries":
            return _of_deliveries(organization, asked, now)
        case "bulk":
            return _of_bulk(organization, asked)
    return _of_orders(organization, asked, now)


def _of_deliveries(organization: Organization, asked: Asked, now: datetime) -> Chosen:
    """What comes from now on is not meant; an address says times to the second."""
    filters = listings.read(asked.filters)
    since, until = filters.span(now)
    filters = replace(
        filters, range="", since=since, until=until or now.replace(microsecond=0) + timedelta(seconds=1), paused=False
    )
    rows = Scope(organization, filters, now).rows.exclude(outcome=Outcome.TEST).annotate(erased=Q(body__isnull=True))
    read = rows.order_by(*webhooks.ORDER).values_list("vendor_id", "reference", "action", "pk", "erased")
    found = list(read[: MOST + 1])
    kept = found[:MOST]
    meant = dict.fromkeys((vendor, reference) for vendor, reference, *_ in kept if reference)
    known = _known(meant)
    return Chosen(
        replace(asked, filters=filters.address()),
        orders=[one for one in meant if one in known],
        unknown=len(meant) - len(known),
        unread=[
            (vendor, pk) for vendor, _ref, action, pk, erased in kept if action == Action.STORED_ONLY and not erased
        ],
        deliveries=len(kept),
        is_more=len(found) > MOST,
    )


def _of_orders(organization: Organization, asked: Asked, now: datetime) -> Chosen:
    if asked.ids:
        rows = Order.objects.filter(organization=organization, pk__in=asked.ids)
    else:
        said = QueryDict(asked.filters.removeprefix("?"))
        rows = queries.matching(
            organization, tab=said.get("tab", ""), q=said.get("q", ""), vendor=said.get("vendor", ""), now=now
        )
    found = list(rows.order_by("-pk").values_list("vendor_id", "reference")[: MOST + 1])
    return Chosen(asked, orders=found[:MOST], is_more=len(found) > MOST)


def _of_bulk(organization: Organization, asked: Asked) -> Chosen:
    """What it could not find out."""
    items = BulkItem.objects.filter(bulk__in=asked.ids[:1], bulk__organization=organization, outcome=Found.FAILED)
    return Chosen(asked, orders=list(items.order_by("pk").values_list("vendor_id", "reference")))


# --- what it would mean ---


@dataclass(frozen=True)
class Share:
    """One supplier's."""

    vendor: Vendor
    orders: int
    rests_until: datetime | None
    connected: bool

    @property
    def seconds(self) -> int:
        """At its rate, if nothing else were asked."""
        return ceil(self.orders * QUESTIONS * gate.APART.total_seconds())


@dataclass(frozen=True)
class Preview:
    chosen: Chosen
    shares: Sequence[Share]

    @property
    def orders(self) -> int:
        return len(self.chosen.orders)

    @property
    def unread(self) -> int:
        return len(self.chosen.unread)

    @property
    def total(self) -> int:
        return self.orders + self.unread

    @property
    def seconds(self) -> int:
        """Suppliers are asked side by side."""
        return max((share.seconds for share in self.shares), default=0)

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """What the form says to choose the same."""
        asked = self.chosen.asked
        ids = [("id", str(one)) for one in asked.ids]
        return [("of", asked.source), *([("filters", asked.filters)] if asked.filters else []), *ids]


def preview(chosen: Chosen, now: datetime) -> Preview:
    numbers = Counter(vendor for vendor, _reference in chosen.orders)
    vendors = Vendor.objects.filter(pk__in=numbers).select_related("connection").order_by("name")
    rests = dict(Gate.objects.filter(vendor__in=numbers, rests_until__gt=now).values_list("vendor", "rests_until"))
    shares = [
        Share(one, numbers[one.pk], rests.get(one.pk), bool(one.connection and one.connection.live)) for one in vendors
    ]
    return Preview(chosen, shares)


def address(asked: Asked) -> str:
    return "?" + urlencode([("of", asked.source), ("filters", asked.filters), *(("id", one) for one in asked.ids)])


def _known(meant: Collection[tuple[UUID, str]]) -> set[tuple[UUID, str]]:
    """Those that are orders of ours."""
    by_vendor: dict[UUID, list[str]] = {}
    for vendor, reference in meant:
        by_vendor.setdefault(vendor, []).append(reference)
    return {
        (vendor, reference)
        for vendor, references in by_vendor.items()
        for part in batched(references, _TOGETHER)
        for reference in Order.objects.filter(vendor=vendor, reference__in=part).values_list("reference", flat=True)
    }


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
