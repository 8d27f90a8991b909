"""The event API, put together: one router per noun, one document."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from ninja.openapi.schema import OpenAPISchema

from servers.event_api import attendees, document, errors, events, ticket_classes
from servers.kit.api import Api


class EventApi(Api):
    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        return document.completed(super().get_openapi_schema(**options))


api = EventApi(
    title="Event API",
    version="1.0.0",
    description="Events, ticket classes and attendees of one organization, reached with its API key.",
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
