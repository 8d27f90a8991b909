import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from servers.kit import logs


class RequestIdMiddleware:
    """Each answer names its request, and so does each line that was logged for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = logs.request_id.set(uuid.uuid4().hex)
        owner = logs.organization.set("")
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = logs.request_id.get()
            return response
        finally:
            logs.request_id.reset(token)
            logs.organization.reset(owner)
