"""The event API, put together: one router per noun, one shape for every refusal, one document."""

import logging
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.parser import Parser

from servers.event_api import attendees, bodies, document, errors, events, ticket_classes
from servers.event_api.errors import ApiError, Detail
from servers.event_api.middleware import internal_error

log = logging.getLogger(__name__)
MOST_DETAILS = 50


class StrictParser(Parser):
    def parse_body(self, request: HttpRequest) -> Any:
        return bodies.parse(request.body)


class EventApi(NinjaAPI):
    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        return document.completed(super().get_openapi_schema(**options))


api = EventApi(
    title="Event API",
    version="1.0.0",
    description="Events, ticket classes and attendees of one organization, reached with its API key.",
    openapi_url=None,
    docs_url=None,
    parser=StrictParser(),
    urls_namespace="event_api",
)
for noun in (events, ticket_classes, attendees):
    api.add_router("", noun.router)


@cache
def _document() -> bytes:
    return errors.json_response(api.get_openapi_schema()).content


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_document(), content_type="application/json")


@api.exception_handler(ApiError)
def refused(request: HttpRequest, error: ApiError) -> HttpResponse:
    return errors.response(error)


@api.exception_handler(HttpError)
def unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    """ninja wraps what the parser raised."""
    cause = error.__cause__
    return errors.response(cause if isinstance(cause, ApiError) else ApiError(error.status_code, "bad_request"))


@api.exception_handler(ValidationError)
def not_valid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return errors.response(errors.validation_failed(*[_detail(one) for one in error.errors[:MOST_DETAILS]]))


@api.exception_handler(Exception)
def failed(request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return internal_error()


def _detail(error: dict[str, Any]) -> Detail:
    # ninja begins a path with the source and, for a body, the argument's name
    source, *rest = error["loc"]
    path = rest[1:] if source == "body" else rest
    message = error["msg"].removeprefix("Value error, ")
    return Detail(".".join(str(part) for part in path), message, error["type"])
