"""`{data: …}` and `{data: […], pagination: {…}}`."""

from collections.abc import Callable
from typing import Any

from organizer.upstream import envelope
from organizer.upstream.envelope import deleted, one
from organizer.upstream.transport import Answer
from organizer.upstream.wire import Page

__all__ = ["deleted", "many", "one"]


def many[T](answer: Answer, read: Callable[[Any], T], number: int) -> Page[T]:
    return envelope.many(answer, read, number, about="pagination", total="total")
