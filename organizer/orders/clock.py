"""What a clock that was set back would hold up: nothing waits until a time that no wait of ours is as far away as."""

from datetime import datetime

from organizer.orders import rules, wakes
from organizer.orders.models import Order, Ticket
from organizer.webhooks.models import Vendor

LONGEST = {
    "state_due_at": rules.STATE_EVERY + rules.SLOT,
    "fulfilment_due_at": rules.FULFILMENT_EVERY + rules.SLOT,
}


def set_right(now: datetime) -> None:
    """Cheap where nothing is wrong: one look into an index for each supplier and check."""
    wakes.set_right(now)
    far = Ticket.objects.filter(next_at__gt=now + rules.FULFILMENT_EVERY + rules.SLOT)
    if far.exists():
        far.update(next_at=now)
    for vendor in Vendor.objects.values_list("pk", flat=True):
        for name, longest in LONGEST.items():
            late = Order.objects.filter(vendor=vendor, **{f"{name}__gt": now + longest})
            if late.exists():
                late.update(**{name: now})
