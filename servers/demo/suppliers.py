"""Writes the demo's suppliers and what they sell; later runs move the dates, and mend an address of this machine."""

from datetime import datetime
from decimal import Decimal

from servers.demo import moments, plan
from servers.demo.events import EVENTS, EventPlan
from servers.demo.offers import EVENTS as SOLD
from servers.demo.offers import SUPPLIERS, Section, SupplierPlan
from servers.event_api import money
from servers.kit import writes
from servers.kit.text import fold
from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.models import Listing, Supplier


def seed(*, now: datetime, retail_url: str) -> None:
    """Idempotent. `retail_url` is the dashboard's own address; what an operator pointed elsewhere stays there."""
    with writes.write():
        for planned in SUPPLIERS:
            supplier = _supplier(planned, f"{retail_url}/api/webhooks/{planned.key}")
            for event in EVENTS:
                if event.key in SOLD:
                    for section in planned.sections:
                        _listing(supplier, event, section, now)


def listing_id(supplier_key: str, event: EventPlan, section: Section) -> str:
    return plan.make_id("listing", supplier_key, event.key, section.key)


def _supplier(planned: SupplierPlan, notify_url: str) -> Supplier:
    found = Supplier.objects.filter(key=planned.key).first()
    if found is None:
        return actions.set_up(
            key=planned.key,
            name=planned.name,
            notify_url=notify_url,
            auth=planned.auth,
            signature_header=planned.header,
            has_prefix=planned.has_prefix,
            moves=True,
            step_seconds=planned.step_seconds,
        )
    if found.notify_url.startswith("http://127.0.0.1:") and found.notify_url != notify_url:
        actions.change(supplier=found, notify_url=notify_url)
    return found


def _listing(supplier: Supplier, event: EventPlan, section: Section, now: datetime) -> None:
    starts_at = moments.start(event, now)
    known = Listing.objects.filter(pk=listing_id(supplier.key, event, section))
    if known.update(starts_at=starts_at):
        return
    currency = event.currency.upper()
    unit = Decimal(1).scaleb(-money.decimals(currency))
    Listing.objects.create(
        pk=listing_id(supplier.key, event, section),
        supplier=supplier,
        event_name=event.name,
        starts_at=starts_at,
        section=section.name,
        price=(Decimal(SOLD[event.key]) * section.factor).quantize(unit),
        currency=currency,
        available=section.available,
        seats_a_row=section.seats_a_row,
        ticket_type=section.ticket_type,
        search=fold(f"{event.name} {section.name}"),
        created_at=now,
        updated_at=now,
    )
