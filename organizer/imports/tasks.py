from celery import shared_task

from organizer.imports import actions


@shared_task
def forget() -> None:
    actions.forget()
