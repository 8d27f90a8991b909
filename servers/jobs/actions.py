"""Jobs are rows: put in the caller's transaction, claimed by compare-and-set, kept until they are done."""

import logging
import os
import socket
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q

from servers.jobs import rules
from servers.jobs.models import Job, Pulse
from servers.kit import clock, writes

log = logging.getLogger(__name__)
Handler = Callable[[dict[str, Any]], None]
_handlers: dict[str, Handler] = {}
_cleaners: list[Callable[[], None]] = []


class GiveUp(Exception):
    """Raised by a handler where trying again cannot help."""


class TryAgain(Exception):
    """Raised by a handler that knows itself when another try makes sense, and how often."""

    def __init__(self, wait: timedelta, why: str) -> None:
        super().__init__(why)
        self.wait = wait


def handle(kind: str, handler: Handler) -> None:
    """Says who does the jobs of a kind. A handler may run twice for one job and must bear it."""
    _handlers[kind] = handler


def each_hour(cleaner: Callable[[], None]) -> None:
    """What else the worker clears away."""
    _cleaners.append(cleaner)


def put(kind: str, payload: dict[str, Any], *, after: timedelta = timedelta()) -> Job:
    return Job.objects.create(kind=kind, payload=payload, due_at=clock.now() + after)


def work_once() -> bool:
    """Does the job that is due longest. False where none is due."""
    job = claim()
    if job is None:
        return False
    try:
        _handlers[job.kind](job.payload)
    except GiveUp as error:
        log.warning("job %s (%s) was given up: %s", job.pk, job.kind, error)
        _fail(job, error)
    except TryAgain as error:
        _finish(job, due_at=clock.now() + error.wait, last_error=_told(error))
    except Exception as error:  # whatever went wrong, the job stays
        log.warning("job %s (%s) failed: %s", job.pk, job.kind, error, exc_info=True)
        _try_again_later(job, error)
    else:
        _finish(job, state=Job.State.DONE, finished_at=clock.now(), last_error="")
    return True


def claim() -> Job | None:
    """Takes a due job, or one whose lease ran out because its worker died."""
    now = clock.now()
    due = Job.objects.filter(Q(lease_until=None) | Q(lease_until__lt=now), state=Job.State.WAITING, due_at__lte=now)
    while job := due.order_by("due_at", "id").first():
        mine = uuid.uuid4().hex
        with writes.turn():
            taken = Job.objects.filter(pk=job.pk, claim=job.claim, state=Job.State.WAITING).update(
                claim=mine, lease_until=now + timedelta(seconds=settings.JOB_LEASE), attempts=F("attempts") + 1
            )
        if taken:
            job.claim, job.attempts = mine, job.attempts + 1
            return job
    return None


def beat() -> None:
    """Writes this worker's pulse."""
    oldest = Job.objects.filter(state=Job.State.WAITING).order_by("due_at").values_list("due_at", flat=True).first()
    with writes.turn():
        Pulse.objects.update_or_create(
            process=f"{socket.gethostname()}:{os.getpid()}", defaults={"at": clock.now(), "oldest_due_at": oldest}
        )


def clean_up() -> None:
    """Jobs that are done are kept for a week, the pulses of dead workers for an hour."""
    now = clock.now()
    with writes.turn():
        Job.objects.filter(state=Job.State.DONE, finished_at__lt=now - timedelta(days=7)).delete()
        Pulse.objects.filter(at__lt=now - timedelta(hours=1)).delete()
    for clean in _cleaners:
        clean()


def _try_again_later(job: Job, error: Exception) -> None:
    wait = rules.wait_after(job.attempts)
    if wait is None:
        _fail(job, error)
    else:
        _finish(job, due_at=clock.now() + wait, last_error=_told(error))


def _fail(job: Job, error: Exception) -> None:
    _finish(job, state=Job.State.FAILED, finished_at=clock.now(), last_error=_told(error))


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace("\x00", "")[:1000]


def _finish(job: Job, **changes: Any) -> None:
    # only while the claim is ours: a job that outlived its lease belongs to another worker
    with writes.turn():
        Job.objects.filter(pk=job.pk, claim=job.claim).update(lease_until=None, **changes)
