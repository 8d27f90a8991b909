import os
from typing import Any

from celery import Celery
from celery.beat import EmbeddedService
from celery.signals import worker_ready

from dashboard import broker

broker.register()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

app = Celery("foyer")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_ready.connect
def keep_the_schedule(**_: Any) -> None:
    """Embedded, the worker has beat in a thread: `-B` would fork, and cost the memory of a second worker."""
    if os.environ.get("FOYER_BEAT") == "thread":
        EmbeddedService(app, thread=True).start()
