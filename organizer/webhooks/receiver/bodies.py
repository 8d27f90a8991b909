"""The bytes of a request, up to a limit, whatever the server says of their length."""

from typing import Any

from django.http import HttpRequest
from django.http.request import UnreadablePostError

LARGEST = 65_536


class CouldNotRead(Exception):
    """`code` is what the answer calls it; all of them are a 400."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def read(request: HttpRequest, largest: int = LARGEST) -> bytes:
    """Raises `CouldNotRead`. Nothing may have touched `request.body` or `request.POST` before."""
    declared = request.META.get("CONTENT_LENGTH") or ""
    if declared and not (declared.isascii() and declared.isdecimal()):
        raise CouldNotRead("invalid_length", "Content-Length is not a number.")
    if declared and int(declared) > largest:
        raise _too_large(largest)
    body = _capped(_stream(request, declared), largest)
    if declared and len(body) < int(declared):
        raise CouldNotRead("body_incomplete", "The body ended before Content-Length said.")
    return body


def _stream(request: HttpRequest, declared: str) -> Any:
    environ = getattr(request, "environ", None)
    if environ is None or declared:
        return request
    # Django reads as far as Content-Length says, and so nothing of a chunked body
    if not environ.get("wsgi.input_terminated"):
        raise CouldNotRead("length_required", "Send Content-Length.")
    return environ["wsgi.input"]


def _capped(stream: Any, largest: int) -> bytes:
    body = bytearray()
    try:
        while chunk := stream.read(largest + 1 - len(body)):
            body += chunk
            if len(body) > largest:
                raise _too_large(largest)
    except (UnreadablePostError, OSError):
        raise CouldNotRead("body_incomplete", "The body could not be read to its end.") from None
    return bytes(body)


def _too_large(largest: int) -> CouldNotRead:
    return CouldNotRead("payload_too_large", f"A body has at most {largest} bytes.")
