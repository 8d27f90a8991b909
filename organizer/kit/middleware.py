"""What every request needs once: an id, the person's time zone, and htmx's manners."""

import uuid
import zoneinfo
from collections.abc import Callable
from functools import cache
from urllib.parse import unquote

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseLocation

from organizer.kit import logs

GetResponse = Callable[[HttpRequest], HttpResponse]


@cache
def _zones() -> frozenset[str]:
    """Kept, because asking for them reads a folder of 600 files."""
    return frozenset(zoneinfo.available_timezones())


class RequestIdMiddleware:
    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = logs.request_id.set(uuid.uuid4().hex)
        try:
            response = self.get_response(request)
            response["X-Request-Id"] = logs.request_id.get()
            return response
        finally:
            logs.request_id.reset(token)


class HtmxAnswerMiddleware:
    """A redirect becomes `HX-Location` for htmx, and caches learn that one address has two answers."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        patch_vary_headers(response, ["HX-Request", "HX-Target"])
        if request.htmx and response.status_code in (301, 302, 303) and response.has_header("Location"):  # type: ignore[attr-defined]
            location = HttpResponseLocation(response["Location"])
            location.cookies = response.cookies
            return location
        return response


class PersonTimeZoneMiddleware:
    """The browser says its zone in a cookie (decision D25); UTC without it."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = unquote(request.COOKIES.get("foyer_zone", ""))
        if name in _zones():
            with timezone.override(zoneinfo.ZoneInfo(name)):
                return self.get_response(request)
        return self.get_response(request)
