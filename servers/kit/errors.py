"""Refusals of an API: one shape, a stable `error` to branch on, a `message` for people."""

import json
from typing import Any

from django.http import HttpResponse

from servers.kit import logs


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


def json_response(data: Any, status: int = 200) -> HttpResponse:
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return HttpResponse(body, status=status, content_type="application/json")


def response(error: ApiError) -> HttpResponse:
    return json_response({"error": error.error, "message": error.message, **error.fields}, error.status)


def internal_error() -> HttpResponse:
    error = ApiError(500, "internal_error", "Something went wrong on our side.", request_id=logs.request_id.get())
    return response(error)
