"""Whether this installation can work: asked by whatever watches it, and shown on Overview."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from organizer.overview.lines import disk_check
from organizer.overview.rules import Check, worker_check
from organizer.sync.models import Pulse

log = logging.getLogger(__name__)


def checks(*, reach: bool = True) -> list[Check]:
    """Without `reach` nothing is connected to beside the database: a page asks so."""
    database = _database()
    return [
        database,
        _disk(),
        _broker(reach),
        _worker() if database.ok else Check("worker", False, "Unknown without the database.", reports=False),
    ]


def worker() -> Check:
    return _worker()


def _database() -> Check:
    return _tried("database", lambda: connection.cursor().execute("SELECT 1"), "The database answers.")


def _disk() -> Check:
    try:
        return disk_check(shutil.disk_usage(settings.DATA).free)
    except OSError as problem:
        return Check("disk", False, f"The data folder cannot be read ({type(problem).__name__}).")


def _broker(reach: bool) -> Check:
    url = settings.CELERY_BROKER_URL
    if url == "folder://":
        return _tried("broker", _touch_folder, "The broker's folder can be written.")
    if not reach:
        return Check("broker", True, "Not asked from a page; the worker's pulse comes by it.")
    return _tried("broker", _reach_broker, "The broker answers.")


def _worker() -> Check:
    now, latest = timezone.now(), Pulse.objects.order_by("-at").first()
    if latest is None:
        return worker_check(None)
    return worker_check(now - latest.at, now - latest.oldest_due if latest.oldest_due else None)


def _touch_folder() -> None:
    probe = Path(str(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"])) / ".probe"
    probe.write_bytes(b"")
    probe.unlink(missing_ok=True)


def _reach_broker() -> None:
    with current_app.connection_for_write(connect_timeout=2) as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=2)


def _tried(name: str, attempt: Callable[[], object], well: str) -> Check:
    try:
        attempt()
    except (Error, OSError) as problem:
        log.warning("%s is not well", name, exc_info=True)
        return Check(name, False, f"The {name} does not answer ({type(problem).__name__}).")
    return Check(name, True, well)
