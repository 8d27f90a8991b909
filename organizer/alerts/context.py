from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from organizer.accounts.access import ADMINS
from organizer.alerts import queries


def alerts(request: HttpRequest) -> dict[str, Any]:
    """How many are open, for who may see them; the frame's own query has counted them by then."""
    organization, membership = getattr(request, "organization", None), getattr(request, "membership", None)
    if organization is None or membership is None or membership.role not in ADMINS:
        return {}
    return {"open_alerts": SimpleLazyObject(lambda: queries.open_count(organization))}
