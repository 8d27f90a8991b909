"""What every request needs once: an id, the person's time zone, and htmx's manners."""

import json
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from organizer.kit import days, logs

GetResponse = Callable[[HttpRequest], HttpResponse]
REDIRECTS = (301, 302, 303)


class RequestMiddleware:
    """An id for logs and answer; times as the person's clock has them; redirects that htmx follows.

    One class, since every request pays for each that it passes.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = unquote(request.COOKIES.get("foyer_zone", ""))
        token = logs.request_id.set(uuid.uuid4().hex)
        try:
            # the browser says its zone in a cookie (decision D25); UTC without it
            with timezone.override(ZoneInfo(name)) if name in days.zones() else nullcontext():
                response = self.get_response(request)
            response["X-Request-Id"] = logs.request_id.get()
        finally:
            logs.request_id.reset(token)
        response["X-Frame-Options"] = "DENY"  # for whom `frame-ancestors` says nothing
        patch_vary_headers(response, ("HX-Request", "HX-Target"))  # one address has two answers
        if response.status_code in REDIRECTS and request.htmx:  # type: ignore[attr-defined]
            response.status_code = 200
            response["HX-Location"] = json.dumps({"path": response["Location"]})
            del response["Location"]
        return response
