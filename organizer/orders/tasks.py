from celery import shared_task
from django.utils import timezone

from organizer.orders import clock, listings, wakes, work


@shared_task
def reconcile(*, vendor_id: str) -> None:
    """A supplier's deliveries wait; kicked by the receiver, which knows this task by its name only."""
    wait = work.drain(vendor_id, call_help=lambda: reconcile.delay(vendor_id=vendor_id))
    if wait is not None:
        reconcile.apply_async(kwargs={"vendor_id": vendor_id}, countdown=wait or None)


@shared_task
def reconcile_waiting() -> None:
    """What no kick started, whose kick was lost, or whose process died, starts here."""
    now = timezone.now()
    wakes.recover(now)
    clock.set_right(now)
    for vendor_id in work.with_wakes(now):
        reconcile.delay(vendor_id=str(vendor_id))


@shared_task
def check_due() -> None:
    """Order state hourly, fulfilment every ten minutes: what is due by now."""
    for vendor_id in work.with_due(timezone.now()):
        reconcile.delay(vendor_id=str(vendor_id))


@shared_task
def search_listings(*, search_id: int) -> None:
    listings.answer(search_id)


@shared_task
def forget() -> None:
    work.forget(timezone.now())
