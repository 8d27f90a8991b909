"""Who asks: an API key in `X-API-KEY`, or the same key as a bearer credential."""

from django.http import HttpRequest

from servers.event_api.errors import ApiError
from servers.organizations.actions import digest
from servers.organizations.models import ApiKey

MISSING = "Missing X-API-KEY header"
INVALID = "Invalid or revoked API key"


def credential(request: HttpRequest) -> str | None:
    """The key as it was sent; None without one. Raises a 401 where two were sent and they differ."""
    header = request.headers.get("X-API-KEY", "").strip()
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    bearer = token.strip() if scheme.lower() == "bearer" else ""
    if header and bearer and header != bearer:
        raise ApiError(401, INVALID, "X-API-KEY and Authorization carry different keys.")
    return header or bearer or None


def find(request: HttpRequest) -> ApiKey:
    """The key of the request, with its organization. Raises the contract's two 401s."""
    secret = credential(request)
    if secret is None:
        raise ApiError(401, MISSING, "Send your API key in the X-API-KEY header.")
    key = ApiKey.objects.select_related("organization").filter(sha256=digest(secret), revoked_at=None).first()
    if key is None:
        raise ApiError(401, INVALID, "This key does not exist or was revoked.")
    return key


def require(key: ApiKey, scope: str) -> None:
    if scope not in key.scopes:
        raise ApiError(403, "insufficient_scope", f"This key lacks the scope {scope}.", required_scope=scope)
