"""Request bodies: read up to a limit, parsed strictly."""

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn

from django.conf import settings
from django.http import HttpRequest

from servers.kit.errors import ApiError, Detail, validation_failed


def read(request: HttpRequest) -> bytes:
    """The whole body. Raises a 413 over the limit."""
    limit = settings.API_BODY_LIMIT
    length = request.META.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length) > limit:
        raise _too_large(limit)
    stream = request
    if not length and request.META.get("wsgi.input_terminated"):
        stream = request.META["wsgi.input"]  # chunked: Django reads only as far as Content-Length says
    body = bytearray()
    while chunk := stream.read(limit + 1 - len(body)):
        body += chunk
        if len(body) > limit:
            raise _too_large(limit)
    return bytes(body)


def drain(request: HttpRequest) -> None:
    """Takes in a body that a refusal came before, up to the limit: an HTTP server closes the connection of a request
    that it answers while the body is still under way, and the client's next request there would be lost."""
    with suppress(ApiError, OSError):
        read(request)


def parse(body: bytes) -> Any:
    """The JSON value. Raises `invalid_json`, or a 400 that names where text cannot be stored."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_object)
        unstorable = [Detail(path, "Text may not contain U+0000 or lone surrogates.", "text") for path in _bad(value)]
    except (ValueError, RecursionError):
        raise ApiError(400, "invalid_json", "The body is not valid JSON.") from None
    if unstorable:
        raise validation_failed(*unstorable[:20])
    return value


def _too_large(limit: int) -> ApiError:
    return ApiError(413, "payload_too_large", f"A body has at most {limit} bytes.")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field is there twice, and nobody knows which counts")
    return fields


def _bad(value: Any, path: str = "") -> Iterator[str]:
    """Paths of text that no database can store."""
    match value:
        case str() if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
            yield path
        case list():
            for index, item in enumerate(value):
                yield from _bad(item, f"{path}.{index}".lstrip("."))
        case dict():
            for name, item in value.items():
                yield from _bad(name, path)
                yield from _bad(item, f"{path}.{name}".lstrip("."))
