from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.utils import timezone

from organizer.sync import actions, batches, due, leases, queries


@shared_task
def pulse() -> None:
    actions.beat()
    batches.finish()


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
def send_due() -> None:
    """What no kick started, whose kick was lost, or whose process died, is sent from here."""
    actions.recover()
    for batch_id in batches.to_expand().values_list("pk", flat=True):
        expand.delay(batch_id=str(batch_id))
    for connection_id in due.to_send(timezone.now()).values_list("pk", flat=True):
        send.delay(connection_id=str(connection_id))


@shared_task
def expand(*, batch_id: str) -> None:
    if batches.expand(batch_id):
        expand.delay(batch_id=batch_id)


@shared_task
def send(*, connection_id: str) -> None:
    """What has to wait is not asked for by each who saw it: the beat comes in a second."""
    wait = actions.send(connection_id, call_help=lambda: send.delay(connection_id=connection_id))
    if wait == 0:
        send.delay(connection_id=connection_id)


@shared_task
def housekeep() -> None:
    actions.housekeep()


@worker_ready.connect
def take_over(**_kwargs: Any) -> None:
    """Says that it works, and looks at once for what the process before this one left."""
    actions.beat()
    start_due_sweeps.delay()
    send_due.delay()
