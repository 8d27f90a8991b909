"""`{data: …}`, and `{data: […]}` with something about the page beside it, taken apart.

An answer of another shape is `Broken`.
"""

from collections.abc import Callable
from typing import Any

from organizer.upstream.errors import Broken
from organizer.upstream.transport import Answer
from organizer.upstream.wire import NoId, Page, Row


def one[T](answer: Answer, read: Callable[[Any], T]) -> T:
    try:
        return read(_object(answer))
    except NoId as problem:
        raise Broken(f"It answered with {problem}.", answer.status) from None


def many[T](answer: Answer, read: Callable[[Any], T], number: int, *, about: str, total: str) -> Page[T]:
    """A row that cannot be taken is a doubt of the page; the others are not lost with it.

    `about` is the object beside the rows, and `total` what it calls their count on all pages.
    """
    data = answer.value.get("data") if isinstance(answer.value, dict) else None
    if not isinstance(data, list):
        raise Broken("It answered without a list.", answer.status)
    items, doubts = [], []
    for place, raw in enumerate(data, 1):
        try:
            items.append(read(raw))
        except NoId as problem:
            doubts.append(f"row {place} of page {number}: {problem}")
    meta = Row(answer.value.get(about))
    return Page(
        items=tuple(items),
        doubts=tuple(doubts),
        number=number,
        pages=_count(meta, "total_pages"),
        total=_count(meta, total),
        requested_at=answer.requested_at,
    )


def deleted(answer: Answer) -> None:
    """204, or an object that says so."""
    if answer.status != 204:
        _object(answer)


def _object(answer: Answer) -> dict[str, Any]:
    value = answer.value
    data = value.get("data", value) if isinstance(value, dict) else None
    if not isinstance(data, dict):
        raise Broken("It answered without an object.", answer.status)
    return data


def _count(meta: Row, name: str) -> int | None:
    value = meta.whole(name, -1)
    return value if value >= 0 else None
