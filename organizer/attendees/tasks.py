from celery import shared_task

from organizer.attendees import mirror


@shared_task
def fold_counts() -> None:
    mirror.fold_crowded()
