"""The event API's place in the frame: its keys, and how they are counted."""

from django.http import HttpRequest

from servers.event_api import auth, limits
from servers.kit import frame, logs
from servers.kit.limits import Allowance
from servers.organizations.models import ApiKey


class ApiRequest(frame.ApiRequest):
    api_key: ApiKey | None
    key: ApiKey
    """The key, inside an operation."""


class ApiMiddleware(frame.ApiMiddleware):
    """Of the event API, and of all under /api that is no API of its own."""

    prefix = "/api/"

    def find(self, request: HttpRequest) -> ApiKey:
        key = auth.find(request)
        logs.organization.set(key.organization.slug)
        return key

    def take_for_key(self, key: ApiKey) -> Allowance:
        return limits.take_for_key(key)

    def take_for_address(self, address: str) -> Allowance:
        return limits.take_for_address(address)
