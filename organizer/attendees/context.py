from collections.abc import Sequence
from functools import cache
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from organizer.attendees import history, waiting
from organizer.attendees.waiting import Glance
from organizer.sync.batches import Progress


def approvals(request: HttpRequest) -> dict[str, Any]:
    """How many wait for an answer, and what is under way for many: one query, and only where the frame is drawn."""
    organization = getattr(request, "organization", None)
    if organization is None:
        return {}

    @cache
    def glance() -> Glance:
        return waiting.glance(organization)

    @cache
    def work() -> Sequence[Progress]:
        return history.work(organization) if glance().any_work else []

    return {
        "waiting_count": SimpleLazyObject(lambda: glance().waiting),
        "work": SimpleLazyObject(work),
        "work_open": SimpleLazyObject(lambda: any(not one.is_over for one in work())),
    }
