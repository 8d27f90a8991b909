from celery import shared_task
from django.utils import timezone

from organizer.alerts import keeping, sending, watching


@shared_task
def look() -> None:
    watching.look_everywhere(timezone.now())
    notify.delay()


@shared_task
def notify() -> None:
    """What no kick started, whose kick was lost, or whose process died, starts here."""
    now = timezone.now()
    sending.recover(now)
    for organization_id in sending.with_due(now):
        deliver.delay(organization_id=str(organization_id))


@shared_task
def deliver(*, organization_id: str) -> None:
    sending.drain(organization_id)


@shared_task
def forget() -> None:
    keeping.forget(timezone.now())
