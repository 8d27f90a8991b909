"""What a generated OpenAPI document lacks: the headers of each answer."""

from typing import Any

from ninja.openapi.schema import OpenAPISchema

_INTEGER = {"type": "integer", "minimum": 0}
_HEADERS: dict[str, Any] = {
    "X-Request-Id": {"description": "Names this request in our logs.", "schema": {"type": "string"}},
    "RateLimit-Limit": {"description": "Requests permitted in the window.", "schema": _INTEGER},
    "RateLimit-Remaining": {"description": "Requests left in the window.", "schema": _INTEGER},
    "RateLimit-Reset": {"description": "Seconds until the window resets.", "schema": _INTEGER},
}
_RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "schema": _INTEGER}}


def with_headers(document: OpenAPISchema) -> OpenAPISchema:
    for path in document["paths"].values():
        for operation in path.values():
            for status, answer in operation["responses"].items():
                answer["headers"] = _HEADERS | (_RETRY_AFTER if status == 429 else {})
    return document
