"""What the generated OpenAPI document lacks: headers of each answer, and of each write."""

from ninja.openapi.schema import OpenAPISchema

from servers.event_api.idempotency import HEADER, MAX_LENGTH, NEVER_RECORDED
from servers.kit.document import with_headers

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
    for path in with_headers(document)["paths"].values():
        for method, operation in path.items():
            if method == "get":
                continue
            operation["parameters"].append(_IDEMPOTENCY_KEY)
            for status, answer in operation["responses"].items():
                if status not in NEVER_RECORDED and status < 500:
                    answer["headers"] |= _REPLAY
    return document
