"""Many orders looked at because a person said so: lined up a few at a time, behind clicks and deliveries.

All that is known of a bulk is in the database: whoever dies, the next worker goes on, and its page tells the same.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain
from math import ceil
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.orders import gate, wakes
from organizer.orders.choosing import QUESTIONS, Chosen
from organizer.orders.models import Bulk, BulkItem, Wake
from organizer.webhooks import bodies
from organizer.webhooks.models import Cause, Delivery, Found, Reconciliation, Vendor

AT_ONCE = 5
"""So many of an organization's may be under way."""
READ_AT_ONCE = 100
KEPT = timedelta(days=90)
OPEN, CANCELLED, READ, NOTHING = "", "cancelled", "read", "stored_only"
RANK = wakes.RANKS[Cause.PERIODIC]
_SAME = {"vendor": OuterRef("vendor"), "reference": OuterRef("reference")}


class CouldNotStart(Exception):
    pass


def start(*, chosen: Chosen, organization: Organization, by: User) -> Bulk:
    """Raises `CouldNotStart`."""
    if not chosen.orders and not chosen.unread:
        raise CouldNotStart(_("There is nothing to be asked about."))
    if under_way(organization).count() >= AT_ONCE:
        raise CouldNotStart(_("Several are under way already. Wait for one of them, or cancel it."))
    with transaction.atomic():
        bulk = Bulk.objects.create(
            organization=organization, by=by, by_name=str(by), source=chosen.asked.source, query=chosen.asked.filters,
            deliveries=chosen.deliveries, total=len(chosen.orders) + len(chosen.unread),
        )  # fmt: skip
        orders = (BulkItem(bulk=bulk, vendor_id=vendor, reference=reference) for vendor, reference in chosen.orders)
        unread = (BulkItem(bulk=bulk, vendor_id=vendor, delivery_id=pk) for vendor, pk in chosen.unread)
        BulkItem.objects.bulk_create(chain(orders, unread), batch_size=500)
        _join(Wake.objects.filter(Exists(_open().filter(bulk=bulk, **_SAME))), bulk.by_name)
        after = {
            "of": bulk.source, "filter": bulk.query, "deliveries": bulk.deliveries, "orders": len(chosen.orders),
            "read_again": len(chosen.unread),
        }  # fmt: skip
        audit.record("orders.bulk", target=bulk, organization=organization, by=by, after=after)
    return bulk


def cancel(*, bulk: Bulk, by: User) -> None:
    """What is done, or being looked at, stays."""
    now = timezone.now()
    with transaction.atomic():
        if not Bulk.objects.filter(pk=bulk.pk, finished_at=None).update(cancelled_at=now, finished_at=now):
            return
        dropped = _open().filter(bulk=bulk).update(outcome=CANCELLED, done_at=now)
        wanted = Exists(_open().filter(**_SAME))
        idle = Wake.objects.filter(vendor__organization=bulk.organization_id, in_bulk=True, holder="").exclude(wanted)
        idle.filter(rank=RANK).delete()
        idle.update(in_bulk=False)
        after = {"left": dropped}
        audit.record("orders.cancel_bulk", target=bulk, organization=bulk.organization, by=by, after=after)


def line_up(vendor: Vendor, now: datetime) -> int:
    """The next few of this supplier's."""
    room = wakes.AHEAD - Wake.objects.filter(vendor=vendor, in_bulk=True).count()
    if room <= 0:
        return 0
    waits = Wake.objects.filter(vendor=vendor, reference=OuterRef("reference"), in_bulk=True)
    items = _open().filter(vendor=vendor, delivery_id=None).exclude(Exists(waits)).order_by("pk")
    by_name: dict[str, list[str]] = {}
    for reference, name in items.values_list("reference", "bulk__by_name")[:room]:
        by_name.setdefault(name, []).append(reference)
    for name, references in by_name.items():
        _join(Wake.objects.filter(vendor=vendor, reference__in=references), name)
        wakes.make(vendor, dict.fromkeys(references), Cause.PERSON, now, rank=RANK, by_name=name, in_bulk=True)
    return sum(map(len, by_name.values()))


def read_again(vendor: Vendor, now: datetime) -> int:
    """The next few deliveries without an order. One that is found waits from then on, as it does when it comes."""
    items = _open().filter(vendor=vendor).exclude(delivery_id=None).select_related("bulk__by")
    some = list(items.order_by("pk")[:READ_AT_ONCE])
    stored = Delivery.objects.in_bulk([one.delivery_id for one in some])
    for one in some:
        delivery = stored.get(one.delivery_id or 0)
        read = delivery is not None and bodies.read_again(delivery=delivery, by=one.bulk.by)
        _open().filter(pk=one.pk).update(outcome=READ if read else NOTHING, done_at=now)
    _finish({one.bulk_id for one in some}, now)
    return len(some)


def note(entry: Reconciliation) -> None:
    """What a look came to, told to all that wait for it: in its transaction."""
    waiting = _open().filter(vendor=entry.vendor_id, reference=entry.reference)
    of = list(waiting.values_list("bulk_id", flat=True))
    waiting.update(outcome=entry.outcome, reason=entry.reason, done_at=entry.finished_at)
    _finish(of, entry.finished_at)


def with_open() -> QuerySet[BulkItem, Any]:
    """The suppliers of which some are left."""
    return _open().values_list("vendor", flat=True).distinct()


def under_way(organization: Organization) -> QuerySet[Bulk]:
    return Bulk.objects.filter(organization=organization, finished_at=None).order_by("-made_at")


def forget(now: datetime) -> None:
    old = list(Bulk.objects.filter(made_at__lt=now - KEPT).values_list("pk", flat=True)[:100])
    BulkItem.objects.filter(bulk__in=old).delete()
    Bulk.objects.filter(pk__in=old).delete()


@dataclass(frozen=True)
class Progress:
    bulk: Bulk
    counts: Mapping[str, int]

    @classmethod
    def of(cls, bulk: Bulk) -> "Progress":
        counted = BulkItem.objects.filter(bulk=bulk).values_list("outcome").annotate(n=Count("pk")).order_by()
        return cls(bulk, Counter(dict(counted)))

    @property
    def left(self) -> int:
        return self.counts[OPEN]

    @property
    def total(self) -> int:
        return self.bulk.total

    @property
    def ended(self) -> int:
        return self.total - self.left - self.counts[CANCELLED]

    @property
    def done(self) -> int:
        return self.ended - self.failed

    @property
    def failed(self) -> int:
        return self.counts[Found.FAILED]

    @property
    def is_over(self) -> bool:
        return self.bulk.finished_at is not None

    @cached_property
    def came(self) -> Sequence[tuple[str, str, int]]:
        """Colour, word and number of what it came to."""
        named = (
            ("ok", Found.CHANGED, _("changed")), ("mute", Found.UNCHANGED, _("unchanged")),
            ("warn", Found.NO_MATCH, _("no match")), ("warn", Found.AMBIGUOUS, _("ambiguous")),
            ("stop", Found.FAILED, _("failed")), ("ok", READ, _("read, with an order in it")),
            ("mute", NOTHING, _("still without an order")), ("mute", CANCELLED, _("not asked any more")),
        )  # fmt: skip
        return [(level, word, self.counts[outcome]) for level, outcome, word in named if self.counts[outcome]]

    @property
    def seconds_left(self) -> int:
        """Of whoever has the most to do."""
        waiting = BulkItem.objects.filter(bulk=self.bulk, outcome=OPEN).values_list("vendor").annotate(n=Count("pk"))
        most = max((number for _vendor, number in waiting.order_by()), default=0)
        return ceil(most * QUESTIONS * gate.APART.total_seconds())

    @property
    def rests(self) -> Sequence[Vendor]:
        """Suppliers that are left alone for now, so that it does not go on."""
        waiting = BulkItem.objects.filter(bulk=self.bulk, outcome=OPEN, vendor=OuterRef("pk"))
        resting = Vendor.objects.filter(Exists(waiting), gate__rests_until__gt=timezone.now())
        return list(resting.select_related("gate").order_by("name"))

    def to_mend(self, most: int) -> Sequence[BulkItem]:
        """What told nothing, with the reason."""
        odd = (Found.FAILED, Found.AMBIGUOUS, Found.NO_MATCH)
        found = BulkItem.objects.filter(bulk=self.bulk, outcome__in=odd).select_related("vendor")
        return list(found.order_by("pk")[:most])


def _join(waiting: QuerySet[Wake], name: str) -> None:
    """What waits anyway is counted, and asks all there is to ask. What is being looked at was asked before."""
    waiting.filter(holder="").update(in_bulk=True, cause=Cause.PERSON, by_name=name)


def _open() -> QuerySet[BulkItem]:
    return BulkItem.objects.filter(outcome=OPEN)


def _finish(bulks: Iterable[Any], now: datetime) -> None:
    left = Exists(_open().filter(bulk=OuterRef("pk")))
    Bulk.objects.filter(pk__in=set(bulks), finished_at=None).exclude(left).update(finished_at=now)
