"""What the generated OpenAPI document lacks: headers of each answer, and of each write."""

from typing import Any

from ninja.openapi.schema import OpenAPISchema

from servers.event_api.idempotency import HEADER, MAX_LENGTH, NEVER_RECORDED

_INTEGER = {"type": "integer", "minimum": 0}
_HEADERS: dict[str, Any] = {
    "X-Request-Id": {"description": "Names this request in our logs.", "schema": {"type": "string"}},
    "RateLimit-Limit": {"description": "Requests permitted in the window.", "schema": _INTEGER},
    "RateLimit-Remaining": {"description": "Requests left in the window.", "schema": _INTEGER},
    "RateLimit-Reset": {"description": "Seconds until the window resets.", "schema": _INTEGER},
}
_RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait.", "schema": _INTEGER}}
_REPLAY = {
    "Idempotent-Replay": {"description": "`true` where the first answer is given again.", "schema": {"type": "string"}}
}
_IDEMPOTENCY_KEY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "The same key within 24 hours returns the first answer again, with `Idempotent-Replay: true`.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_LENGTH},
}


def completed(document: OpenAPISchema) -> OpenAPISchema:
    for path in document["paths"].values():
        for method, operation in path.items():
            if method != "get":
                operation["parameters"].append(_IDEMPOTENCY_KEY)
            for status, answer in operation["responses"].items():
                answer["headers"] = _HEADERS | (_RETRY_AFTER if status == 429 else {})
                if method != "get" and status not in NEVER_RECORDED and status < 500:
                    answer["headers"] |= _REPLAY
    return document
