from celery import shared_task


@shared_task
def pulse() -> None: ...


@shared_task
def start_due_sweeps() -> None: ...
