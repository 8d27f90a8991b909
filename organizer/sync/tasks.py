from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.utils import timezone

from organizer.sync import actions, leases, queries


@shared_task
def pulse() -> None:
    actions.beat()


@shared_task
def start_due_sweeps() -> None:
    """What no kick started, whose kick was lost, or whose process died, starts here."""
    leases.release_dead()
    for connection_id in queries.to_walk(timezone.now()).values_list("pk", flat=True):
        walk.delay(connection_id=str(connection_id))


@shared_task
def walk(*, connection_id: str) -> None:
    wait = actions.walk(connection_id)
    if wait is not None:
        walk.apply_async(kwargs={"connection_id": connection_id}, countdown=wait)


@shared_task
def housekeep() -> None:
    actions.housekeep()


@worker_ready.connect
def take_over(**_kwargs: Any) -> None:
    """Says that it works, and looks at once for what the process before this one left."""
    actions.beat()
    start_due_sweeps.delay()
