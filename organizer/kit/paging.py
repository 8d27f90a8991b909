"""Paging by key: a page begins after a row, not after a number, so that it costs the same wherever it is."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet

SIZE = 50
SLICE = 1_000
_SALT = "organizer.kit.paging"


@dataclass(frozen=True)
class KeysetPage[M: Model]:
    rows: Sequence[M]
    next_cursor: str = ""
    previous_cursor: str = ""
    restarted: bool = False
    """The cursor was of another list or unreadable: this is the first page."""


def keyset_page[M: Model](
    rows: QuerySet[M], *, order: Sequence[str], cursor: str = "", filters: str = "", size: int = SIZE
) -> KeysetPage[M]:
    """One page of `rows` in `order`, which names not-null columns, all up or all down, the last one unique.

    `filters` is whatever the list is filtered by: a cursor belongs to it, and to the order.
    """
    bound = hashlib.sha256("\n".join([*order, filters]).encode()).hexdigest()[:16]
    names = [name.removeprefix("-") for name in order]
    asked = _read(cursor, bound, rows.model, names) if cursor else None
    backward = bool(asked and asked.backward)
    down = order[0].startswith("-") != backward
    from_there = rows.filter(_beyond(names, asked.values, down=down)) if asked else rows
    found = list(from_there.order_by(*(f"-{name}" if down else name for name in names))[: size + 1])
    more, shown = len(found) > size, found[:size]
    if backward:
        if len(shown) < size:  # the list's beginning: a whole page rather than its remains
            return keyset_page(rows, order=order, filters=filters, size=size)
        shown.reverse()
    has_next, has_previous = (True, more) if backward else (more, asked is not None)
    return KeysetPage(
        rows=shown,
        next_cursor=_write(bound, shown[-1], names, backward=False) if has_next and shown else "",
        previous_cursor=_write(bound, shown[0], names, backward=True) if has_previous and shown else "",
        restarted=bool(cursor) and asked is None,
    )


def every_row[M: Model](rows: QuerySet[M], *, order: Sequence[str], size: int = SLICE) -> Iterator[M]:
    """All of them, in `order` as above, a slice at a time: nothing is held, and no cursor stays open meanwhile."""
    names = [name.removeprefix("-") for name in order]
    down = order[0].startswith("-")
    found = list(rows.order_by(*order)[:size])
    while found:
        yield from found
        if len(found) < size:
            return
        values = [getattr(found[-1], name) for name in names]
        found = list(rows.filter(_beyond(names, values, down=down)).order_by(*order)[:size])


@dataclass(frozen=True)
class _Asked:
    values: Sequence[Any]
    backward: bool


def _beyond(names: Sequence[str], values: Sequence[Any], *, down: bool) -> Q:
    """`a >= x AND (a > x OR (a = x AND id > y))`: the first half is what an index can begin at."""
    compare = "lt" if down else "gt"
    first, *others = names
    condition = Q(**{f"{names[-1]}__{compare}": values[-1]})
    for name, value in reversed(list(zip(names[:-1], values[:-1], strict=True))):
        condition = Q(**{f"{name}__{compare}": value}) | (Q(**{name: value}) & condition)
    return Q(**{f"{first}__{compare}e": values[0]}) & condition if others else condition


def _write(bound: str, row: Model, names: Sequence[str], *, backward: bool) -> str:
    values = [getattr(row, name) for name in names]
    said = [value.isoformat() if isinstance(value, datetime) else str(value) for value in values]
    return signing.dumps([bound, int(backward), *said], salt=_SALT, compress=True)


def _read(cursor: str, bound: str, model: type[Model], names: Sequence[str]) -> _Asked | None:
    try:
        of, backward, *said = signing.loads(cursor, salt=_SALT)
        fields = [model._meta.get_field(name) for name in names]
        values = [field.to_python(value) for field, value in zip(fields, said, strict=True)]  # type: ignore[union-attr]
    except (signing.BadSignature, ValueError, TypeError, ValidationError):
        return None
    return _Asked(values, bool(backward)) if of == bound else None
