"""Suppliers and deliveries of an organization, and numbers of them that cost little whatever there is."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum

from organizer.accounts.models import Organization
from organizer.webhooks.models import Delivery, Note, Outcome, Proof, Purpose, Rejection, Tally, Vendor, VendorSecret

MOST_COUNTED = 10_000
MOST_EVENTS = 100
MOST_OLD = 500
ORDER = ("-received_at", "-id")
_SEEN = """WITH RECURSIVE seen(event) AS (
  SELECT (SELECT min(event) FROM {table} WHERE organization_id = %s AND event > '')
  UNION ALL
  SELECT (SELECT min(event) FROM {table} WHERE organization_id = %s AND event > seen.event) FROM seen
    WHERE seen.event IS NOT NULL
) SELECT event FROM seen WHERE event IS NOT NULL LIMIT %s"""


def vendors(organization: Organization) -> Sequence[Vendor]:
    return list(Vendor.objects.filter(organization=organization).order_by("name", "key"))


def vendor(organization: Organization, vendor_id: UUID) -> Vendor | None:
    return Vendor.objects.filter(organization=organization, pk=vendor_id).select_related("connection").first()


def delivery(organization: Organization, delivery_id: int) -> Delivery | None:
    return Delivery.objects.filter(organization=organization, pk=delivery_id).select_related("vendor").first()


def events(organization: Organization) -> Sequence[str]:
    """Names that were seen: from one to the next in the index, and not through all rows."""
    key = Vendor._meta.get_field("organization").get_db_prep_value(organization.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(_SEEN.format(table=Delivery._meta.db_table), [key, key, MOST_EVENTS])
        return [name for (name,) in cursor.fetchall()]


def capped(rows: QuerySet[Delivery], most: int = MOST_COUNTED) -> int:
    """How many; `most` + 1 stands for more. In the list's order, so that its index is walked and not the table."""
    return rows.order_by(*ORDER)[: most + 1].count()


def refused_by_reason(
    vendors: Sequence[Vendor], since: datetime | None, until: datetime | None = None
) -> dict[tuple[str, str], int]:
    """Exact numbers by supplier's key and reason, of whole minutes; a sample stands for many."""
    keys = {one.pk.hex: one.key for one in vendors}
    counted = Tally.objects.filter(of__in=keys).values_list("of", "reason")
    if since:
        counted = counted.filter(minute__gte=since.replace(second=0, microsecond=0))
    if until:
        counted = counted.filter(minute__lt=until)
    return {(keys[of], reason): number for of, reason, number in counted.annotate(sum=Sum("number"))}


def latest(vendors: Sequence[Vendor]) -> dict[UUID, tuple[datetime | None, datetime | None]]:
    """When each delivered last, and when it was refused last. Tests of our own are none of its."""
    delivered = Delivery.objects.filter(vendor=OuterRef("pk")).exclude(outcome=Outcome.TEST).order_by(*ORDER)
    refused = Rejection.objects.filter(vendor=OuterRef("pk")).order_by("-at", "-id")
    found = Vendor.objects.filter(pk__in=[one.pk for one in vendors]).values_list(
        "pk", Subquery(delivered.values("received_at")[:1]), Subquery(refused.values("at")[:1])
    )
    return {pk: (last_at, refused_at) for pk, last_at, refused_at in found}


def secrets_of(vendors: Sequence[Vendor], now: datetime) -> dict[UUID, list[VendorSecret]]:
    """Those that sign and count, the current one first."""
    counting = VendorSecret.objects.filter(Q(ends_at=None) | Q(ends_at__gt=now), purpose=Purpose.SIGNING)
    found: dict[UUID, list[VendorSecret]] = {}
    for secret in counting.filter(vendor__in=[one.pk for one in vendors]).order_by("-number"):
        found.setdefault(secret.vendor_id, []).append(secret)
    return found


def last_rejection(vendor: Vendor) -> Rejection | None:
    return Rejection.objects.filter(vendor=vendor).order_by("-at", "-id").first()


def note(delivery: Delivery) -> Note | None:
    return Note.objects.filter(delivery=delivery).first()


def notes(deliveries: Sequence[Delivery]) -> dict[int, Note]:
    return Note.objects.in_bulk([one.pk for one in deliveries])


def by_old_secret(vendor: Vendor, since: datetime) -> Sequence[tuple[str | None, datetime]]:
    """From where deliveries came that were signed by a secret which a rotation had replaced; the newest first."""
    mine = Delivery.objects.filter(organization=vendor.organization_id, auth=Proof.OLD_SECRET, received_at__gte=since)
    return list(mine.filter(vendor=vendor).order_by(*ORDER).values_list("source", "received_at")[:MOST_OLD])


def same_order(delivery: Delivery, most: int) -> Sequence[Delivery]:
    """Other deliveries for its reference, newest first."""
    if not delivery.reference:
        return []
    rows = Delivery.objects.filter(vendor=delivery.vendor_id, reference=delivery.reference)
    return list(rows.exclude(pk=delivery.pk).defer("body", "headers").order_by("-received_at")[: most + 1])


def neighbours(delivery: Delivery) -> tuple[int | None, int | None]:
    """The next newer and the next older delivery."""
    rows = Delivery.objects.filter(organization=delivery.organization_id).values_list("pk", flat=True)
    at, key = delivery.received_at, delivery.pk
    newer = rows.filter(received_at__gte=at).exclude(received_at=at, pk__lte=key).order_by("received_at", "id").first()
    older = rows.filter(received_at__lte=at).exclude(received_at=at, pk__gte=key).order_by(*ORDER).first()
    return newer, older


def any_reference(vendor: Vendor) -> bool:
    """Whether an order could be read from anything it sent."""
    rows = Delivery.objects.filter(vendor=vendor, reference__gt="").exclude(outcome=Outcome.TEST)
    return rows.order_by("reference").exists()


def day_before(now: datetime) -> datetime:
    return now - timedelta(hours=24)
