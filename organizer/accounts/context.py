from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from organizer.accounts import access
from organizer.accounts.models import Membership

THEMES = ("light", "dark")


def shell(request: HttpRequest) -> dict[str, Any]:
    """What the frame around every page needs."""
    membership: Membership | None = getattr(request, "membership", None)
    role = membership.role if membership else None
    theme = request.COOKIES.get("foyer_theme")
    return {
        "organization": getattr(request, "organization", None),
        "membership": membership,
        "theme": theme if theme in THEMES else "",
        "memberships": getattr(request, "memberships", []),
        "may_read": role in access.READERS,
        "may_admit": role in access.DOOR_STAFF,
        "may_manage": role in access.MANAGERS,
        "may_administer": role in access.ADMINS,
        "settings_url": settings_url(membership),
    }


def settings_url(membership: Membership | None) -> str:
    """The first page of Settings that this role may open; empty where there is none."""
    if membership is None or membership.role not in access.MANAGERS:
        return ""
    first = "connections:index" if membership.role in access.ADMINS else "accounts:members"
    return reverse(first, args=[membership.organization.slug])
