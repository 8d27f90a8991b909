from functools import partial
from typing import Any

from django.http import HttpRequest

from organizer.connections import queries
from organizer.connections.rules import Notice


def notices(request: HttpRequest) -> dict[str, Any]:
    """Banners about connections: what is wrong and what to do about it. Asked only where the frame is drawn."""
    return {"notices": partial(_notices, request)}


def _notices(request: HttpRequest) -> list[Notice]:
    organization = getattr(request, "organization", None)
    if organization is None:
        return []
    return queries.notices(organization, getattr(request, "connections", None))  # where a view has read them
