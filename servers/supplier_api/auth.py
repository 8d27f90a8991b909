"""Who asks: a supplier's orders key as a bearer credential."""

from django.http import HttpRequest

from servers.kit.errors import ApiError
from servers.organizations.actions import digest
from servers.supplier_api.models import SupplierKey


def find(request: HttpRequest) -> SupplierKey:
    """The key of the request, with its supplier. Raises the 401s, and a 403 for a supplier that is closed."""
    scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ApiError(401, "missing_key", "Send your orders key as Authorization: Bearer <key>.")
    keys = SupplierKey.objects.select_related("supplier")
    key = keys.filter(sha256=digest(token.strip()), revoked_at=None).first()
    if key is None:
        raise ApiError(401, "invalid_key", "This key does not exist or was revoked.")
    if not key.supplier.is_open:
        raise ApiError(403, "supplier_closed", "This supplier takes no requests at the moment.")
    return key
