"""Word to the worker that a delivery waits; lost where no broker answers, and then the schedule finds it."""

import atexit
from uuid import UUID

from celery import current_app

from organizer.sync.kicks import Kicker

TASK = "organizer.orders.tasks.reconcile"


def _by_broker(vendor_id: str, after: float) -> None:
    current_app.send_task(TASK, kwargs={"vendor_id": vendor_id}, countdown=after or None)


_kicker = Kicker(_by_broker)
atexit.register(_kicker.flush)


def waits(vendor_id: UUID) -> None:
    """Call it when the delivery is on disk."""
    _kicker.tell(str(vendor_id), 0.0)
