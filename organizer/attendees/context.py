from functools import cache
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from organizer.attendees import history, waiting
from organizer.attendees.waiting import Glance


def approvals(request: HttpRequest) -> dict[str, Any]:
    """How many wait for an answer, and what is under way for many: one query, and only where the frame is drawn."""
    organization = getattr(request, "organization", None)
    if organization is None:
        return {}

    @cache
    def glance() -> Glance:
        return waiting.glance(organization)

    return {
        "waiting_count": SimpleLazyObject(lambda: glance().waiting),
        "work": SimpleLazyObject(lambda: history.running(organization) if glance().any_work else []),
    }
