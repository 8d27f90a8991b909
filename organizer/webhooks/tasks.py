import logging

from celery import shared_task
from django.utils import timezone

from organizer.webhooks import bodies, suppliers, trials
from organizer.webhooks.models import Trial, Vendor

log = logging.getLogger(__name__)


@shared_task
def forget() -> None:
    """Bodies after their supplier's days, samples and numbers of refusals after theirs. Rows and keys stay."""
    now = timezone.now()
    for vendor in Vendor.objects.order_by("pk"):
        if erased := bodies.forget_bodies(vendor=vendor, now=now):
            log.info("%d bodies of %s erased", erased, vendor.key)
    bodies.forget_refusals(now=now)
    trials.forget(now)


@shared_task
def send_test(*, trial_id: str) -> None:
    trial = Trial.objects.select_related("vendor").filter(pk=trial_id).first()
    if trial is not None:
        trials.send(trial.pk, suppliers.address(trial.vendor))
