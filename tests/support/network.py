"""No address but loopback in tests: a hook of the interpreter sees every connection, whoever opens it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_HERE = ("127.", "::1", "localhost")
_watchers: list[list[str]] = []


class NotLoopback(BaseException):
    """Not an Exception, so that no client's error handling turns it into "unreachable"."""


def guard() -> None:
    sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[str]]:
    """Collects every internet connection that this process tries to open meanwhile."""
    seen: list[str] = []
    _watchers.append(seen)
    try:
        yield seen
    finally:
        _watchers.remove(seen)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        if isinstance(address, tuple):
            for watcher in _watchers:
                watcher.append(f"{address[0]}:{address[1]}")
            _refuse_unless_loopback(address[0])
    elif event == "socket.getaddrinfo":
        _refuse_unless_loopback(arguments[0])


def _refuse_unless_loopback(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host or "127.0.0.1")
    if not name.startswith(_HERE):
        raise NotLoopback(f"A test tried to reach {name}")
