"""From a status and a body to what it means: the table of design §5, row by row. Pure."""

import math
from collections.abc import Mapping
from typing import Any

from organizer.upstream.clean import cleaned
from organizer.upstream.errors import (
    Broken,
    Forbidden,
    InProgress,
    KeyRefused,
    Limited,
    NotFound,
    Refused,
    ScopeMissing,
    UpstreamError,
)

LONGEST_TEXT = 300
SHORTEST_WAIT, LONGEST_WAIT = 1.0, 3600.0


def check(status: int, value: Any, *, is_json: bool, headers: Mapping[str, str], scope: str) -> None:
    """Returns where the request was done; raises what else came of it."""
    if 200 <= status < 300:
        if not is_json and status != 204:
            raise Broken("It answered, but not with JSON. Is the address that of the API?", status)
        return
    raise failure(status, value, headers=headers, scope=scope)


def failure(status: int, value: Any, *, headers: Mapping[str, str], scope: str) -> UpstreamError:
    said = cleaned(value, []) if isinstance(value, dict) else {}
    error = _words(said.get("error"))
    message = _words(said.get("message")) or error
    match status:
        case 401:
            return KeyRefused(message or "The provider does not accept the key.", error)
        case 403 if error == "insufficient_scope":
            return ScopeMissing(message, _words(said.get("required_scope")) or scope)
        case 403:
            return Forbidden(message or "The provider does not allow this.", error)
        case 404 if error:
            return NotFound(message, error)
        case 409 if error == "idempotent_request_in_progress":
            return InProgress(message, error)
        case 429:
            return Limited(wait(headers))
        case 404 | 408 | 425:
            return Broken(f"It answered {status} without a reason that the API knows.", status)
        case _ if 400 <= status < 500:
            details = said.get("details")
            return Refused(
                message or f"The provider refused this ({status}).",
                status,
                error,
                details if isinstance(details, list) else [],
            )
        case _ if 300 <= status < 400:
            return Broken("It sent us to another address, where we do not go with a key.", status)
    return Broken(f"It answered with an error of its own ({status}).", status)


def wait(headers: Mapping[str, str]) -> float:
    """How long a 429 asks everybody to wait: at least a second, at most an hour."""
    named = (_seconds(headers.get(name)) for name in ("RateLimit-Reset", "Retry-After"))
    return min(max(*named, SHORTEST_WAIT), LONGEST_WAIT)


def _seconds(text: str | None) -> float:
    try:
        seconds = float(text or 0)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) else 0.0


def _words(value: Any) -> str:
    return value[:LONGEST_TEXT] if isinstance(value, str) else ""
