"""An API, put together with ninja: one shape for every refusal, bodies read strictly, one document."""

import logging
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.parser import Parser

from servers.kit import bodies, errors
from servers.kit.errors import ApiError, Detail

log = logging.getLogger(__name__)
MOST_DETAILS = 50


class StrictParser(Parser):
    def parse_body(self, request: HttpRequest) -> Any:
        return bodies.parse(request.body)


class Api(NinjaAPI):
    def __init__(self, **options: Any) -> None:
        super().__init__(openapi_url=None, docs_url=None, parser=StrictParser(), **options)
        for kind, handler in _HANDLERS.items():
            self.add_exception_handler(kind, handler)


class KeyInHeader:
    """The frame has looked the key up already; ninja needs this for the document."""

    openapi_security_schema = {"type": "apiKey", "in": "header", "name": "X-API-KEY"}

    def __call__(self, request: Any) -> Any:
        return request.api_key


class BearerKey(KeyInHeader):
    openapi_security_schema = {"type": "http", "scheme": "bearer"}


def refused(request: HttpRequest, error: ApiError) -> HttpResponse:
    return errors.response(error)


def unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    """ninja wraps what the parser raised."""
    cause = error.__cause__
    return errors.response(cause if isinstance(cause, ApiError) else ApiError(error.status_code, "bad_request"))


def not_valid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return errors.response(errors.validation_failed(*[_detail(one) for one in error.errors[:MOST_DETAILS]]))


def failed(request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return errors.internal_error()


_HANDLERS: dict[type[Exception], Any] = {
    ApiError: refused,
    HttpError: unreadable,
    ValidationError: not_valid,
    Exception: failed,
}


def _detail(error: dict[str, Any]) -> Detail:
    # ninja begins a path with the source and, for a body, the argument's name
    source, *rest = error["loc"]
    path = rest[1:] if source == "body" else rest
    message = error["msg"].removeprefix("Value error, ")
    return Detail(".".join(str(part) for part in path), message, error["type"])
