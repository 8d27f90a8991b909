"""Refusals of the API: one shape, a stable `error` to branch on, a `message` for people."""

import json
from typing import Any

from django.http import HttpResponse


class ApiError(Exception):
    def __init__(self, status: int, error: str, message: str = "", **fields: Any) -> None:
        super().__init__(error)
        self.status, self.error, self.message, self.fields = status, error, message or error, fields


class Detail(dict[str, str]):
    """One thing that is wrong with a request, and where."""

    def __init__(self, path: str, message: str, code: str) -> None:
        super().__init__(path=path, message=message, code=code)


def validation_failed(*details: Detail) -> ApiError:
    return ApiError(400, "Validation failed", "The request is not valid; see details.", details=list(details))


def invalid(path: str, message: str, code: str = "invalid") -> ApiError:
    return validation_failed(Detail(path, message, code))


def not_found(noun: str) -> ApiError:
    return ApiError(404, f"{noun} not found", f"There is no such {noun.lower()} in this organization.")


def nothing_to_change() -> ApiError:
    return ApiError(400, "At least one field is required", "An update names at least one field.")


def transition_refused(reason: str) -> ApiError:
    return ApiError(422, reason)


def name_exists(name: str) -> ApiError:
    return ApiError(409, "name_exists", f"Another ticket class of this event is named {name!r}.")


def sold_tickets(noun: str, count: int) -> ApiError:
    return ApiError(409, "sold_tickets", f"This {noun} has sold tickets.", sold_count=count)


def json_response(data: Any, status: int = 200) -> HttpResponse:
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return HttpResponse(body, status=status, content_type="application/json")


def response(error: ApiError) -> HttpResponse:
    return json_response({"error": error.error, "message": error.message, **error.fields}, error.status)
