from functools import partial
from typing import Any

from django.http import HttpRequest

from organizer.sync import queries
from organizer.sync.rows import MOST_COUNTED


def outbox(request: HttpRequest) -> dict[str, Any]:
    """How many changes wait for a connection to be mended. Asked only where a banner says what is wrong with one."""
    return {"held_changes": partial(_held_changes, request)}


def _held_changes(request: HttpRequest) -> int:
    organization = getattr(request, "organization", None)
    return queries.held(organization)[:MOST_COUNTED].count() if organization else 0
