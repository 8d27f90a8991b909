"""What the pages about deliveries say of the orders that these are about."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.orders import checks, queries, rows
from organizer.orders.models import Order, Wake
from organizer.webhooks import registry
from organizer.webhooks.models import Delivery, Found, Outcome, Reconciliation, Vendor
from organizer.webhooks.registry import Checks, Step, Story, Tab, Told
from organizer.webhooks.rows import DeliveryRow


class Sequel(registry.Sequel):
    delivery_acts = "orders/_delivery_acts.html"
    list_acts = "orders/_list_acts.html"

    def links(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        wanted = {(one.vendor_id, one.reference) for one in deliveries if one.reference}
        of = Order.objects.filter(vendor__in={vendor for vendor, _ref in wanted}, reference__in={r for _v, r in wanted})
        known = {(vendor, reference): pk for vendor, reference, pk in of.values_list("vendor", "reference", "pk")}
        slugs = dict(
            Organization.objects.filter(pk__in={one.organization_id for one in deliveries}).values_list("pk", "slug")
        )
        return {
            one.pk: reverse("orders:detail", args=[slugs[one.organization_id], known[one.vendor_id, one.reference]])
            for one in deliveries
            if (one.vendor_id, one.reference) in known
        }

    def excerpts(self, deliveries: Sequence[Delivery]) -> Mapping[int, str]:
        told = {
            one.pk: one.reconciliation_id
            for one in deliveries
            if one.outcome in (Outcome.FAILED, Outcome.NO_MATCH) and one.reconciliation_id is not None
        }
        reasons = dict(Reconciliation.objects.filter(pk__in=set(told.values())).values_list("pk", "reason"))
        return {pk: reasons[found] for pk, found in told.items() if reasons.get(found)}

    def story(self, delivery: Delivery) -> Story:
        order = Order.objects.filter(vendor=delivery.vendor_id, reference=delivery.reference).first()
        found = Reconciliation.objects.filter(pk=delivery.reconciliation_id or 0).first()
        url = reverse("orders:detail", args=[delivery.organization.slug, order.pk]) if order else ""
        waits = Wake.objects.filter(vendor=delivery.vendor_id, reference=delivery.reference).exists()
        if found is None:
            return Story(steps=_waiting(delivery), order_url=url, is_open=waits)
        return Story(_sentence(delivery, found), [_step(found)], url, is_open=waits)

    def tabs(self, organization: Organization) -> Sequence[Tab]:
        return [
            Tab("reconciliations", _("Reconciliations"), reverse("orders:reconciliations", args=[organization.slug]))
        ]

    def matched_at(self, vendor: Vendor) -> datetime | None:
        answered = Reconciliation.objects.filter(vendor=vendor, outcome__in=(Found.CHANGED, Found.UNCHANGED))
        first = answered.filter(deliveries__gt=0).order_by("finished_at")
        return first.values_list("finished_at", flat=True).first()

    def told(self, vendors: Sequence[Vendor], since: datetime) -> Mapping[UUID, Told]:
        return {pk: Told(missed, number) for pk, (missed, number) in queries.told(vendors, since).items()}

    def checks(self, vendor: Vendor, since: datetime, now: datetime) -> Checks:
        told = self.told([vendor], since).get(vendor.pk, Told())
        return Checks(told, checks.steps(vendor, now))


def _sentence(delivery: Delivery, found: Reconciliation) -> str:
    """Marked as safe where it holds the move in bold."""
    supplier = delivery.vendor.name
    if found.outcome == Found.CHANGED:
        text = _("We asked %s, and it had changed:") % supplier
        took = DeliveryRow(delivery, delivery.vendor).took
        after = ", " + _("%(time)s after its call") % {"time": took} if took else ""
        return format_html("{} <b>{}</b>{}.", text, rows.changes(found), after)
    if found.outcome == Found.UNCHANGED:
        return _("We asked %s, and nothing had changed.") % supplier
    return found.reason


def _step(found: Reconciliation) -> Step:
    level, _icon = rows.FOUND_LOOKS[Found(found.outcome)]
    said = rows.LookRow(found).said
    answer = _("%(status)s in %(ms)s ms") % {"status": found.status, "ms": found.took} if found.status else ""
    text = " · ".join(filter(None, [said, answer]))
    return Step(level, str(found.get_outcome_display()), text, found.finished_at)


def _waiting(delivery: Delivery) -> Sequence[Step]:
    """Looks that failed so far, and when the next is due."""
    if delivery.outcome != Outcome.WAITING:
        return ()
    failed = Reconciliation.objects.filter(
        vendor=delivery.vendor_id, reference=delivery.reference, started_at__gte=delivery.received_at
    )
    wake = Wake.objects.filter(vendor=delivery.vendor_id, reference=delivery.reference).first()
    steps = [_step(one) for one in failed.order_by("pk")[:5]]
    if not steps:
        return ()
    return [*steps, Step("info", _("Next try"), "", wake.next_at)] if wake else steps
