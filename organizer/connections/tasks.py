from celery import shared_task


@shared_task
def check(*, connection_id: str) -> None: ...
