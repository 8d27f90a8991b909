"""The supplier API's place in the frame: its keys, and how they are counted."""

from django.http import HttpRequest

from servers.kit import frame, limits, logs
from servers.kit.limits import Allowance
from servers.supplier_api import auth
from servers.supplier_api.models import RateWindow, Supplier, SupplierKey


class ApiRequest(frame.ApiRequest):
    api_key: SupplierKey | None
    supplier: Supplier
    """Inside an operation."""


class ApiMiddleware(frame.ApiMiddleware):
    prefix = "/api/vendor/"

    def find(self, request: HttpRequest) -> SupplierKey:
        key = auth.find(request)
        logs.organization.set(key.supplier.key)
        return key

    def take_for_key(self, key: SupplierKey) -> Allowance:
        return limits.take(RateWindow, f"key:{key.pk}", key.supplier.limit_requests, key.supplier.limit_seconds)

    def take_for_address(self, address: str) -> Allowance:
        return limits.take_for_address(RateWindow, address)
