from collections.abc import Sequence
from functools import cache
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from organizer.attendees import history, waiting
from organizer.attendees.waiting import Glance
from organizer.sync.batches import Progress

NOTIFY = "foyer_notify"
"""The cookie that keeps whether the person's last decision was mailed."""


def notifies(request: HttpRequest) -> bool:
    """As the person chose last; a guest who is not told is the exception."""
    return request.COOKIES.get(NOTIFY) != "0"


def approvals(request: HttpRequest) -> dict[str, Any]:
    """How many wait for an answer, and what is under way for many: one query, and only where the frame is drawn.

    And what decisions begin with, wherever guests are decided about.
    """
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
        "notifies": notifies(request),
        "waiting_count": SimpleLazyObject(lambda: glance().waiting),
        "work": SimpleLazyObject(work),
        "work_open": SimpleLazyObject(lambda: any(not one.is_over for one in work())),
    }
