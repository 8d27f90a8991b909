"""What a file is read into, and what it can be refused for. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from organizer.kit.text import clean

MOST_ROWS = 10_000
MOST_COLUMNS = 60
LONGEST_CELL = 2_000
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200e\u200f\u202a\u202c\u2066\u2069"))


class Unreadable(Exception):
    """`why` is a word of `wording`; `values` are what its sentence names."""

    def __init__(self, why: str, **values: Any) -> None:
        super().__init__(why)
        self.why, self.values = why, values


@dataclass(frozen=True)
class Row:
    number: int
    """As a spreadsheet counts them: the first line of the file is 1."""
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    header: tuple[str, ...]
    """One for each column; a column without a heading has ""."""
    rows: tuple[Row, ...]
    how: dict[str, Any]
    """How it was read, for the person: encoding and delimiter, or the sheet."""


def table(lines: Iterable[tuple[int, Sequence[str]]], how: dict[str, Any]) -> Table:
    """Lines with their numbers; empty ones are left out. The first says what the columns are, unless it is a guest."""
    header: tuple[str, ...] | None = None
    rows: list[Row] = []
    width = 0
    for number, values in lines:
        cells = tuple(_trimmed([tidy(value) for value in values]))
        if not cells:
            continue
        if len(cells) > MOST_COLUMNS:
            raise Unreadable("too_many_columns", row=number, most=MOST_COLUMNS)
        width = max(width, len(cells))
        if header is None and not any("@" in cell for cell in cells):
            header = cells
            continue
        header = header or ()
        if len(rows) == MOST_ROWS:
            raise Unreadable("too_many_rows", most=MOST_ROWS)
        rows.append(Row(number, cells))
    if not rows:
        raise Unreadable("no_rows" if header else "empty")
    heads = (header or ()) + ("",) * (width - len(header or ()))
    return Table(heads, tuple(Row(row.number, row.cells + ("",) * (width - len(row.cells))) for row in rows), how)


def tidy(value: str) -> str:
    """As people see it: no invisible marks, no space around; what a database cannot store is replaced."""
    if value.isascii() and value.isprintable():  # the same, several times faster
        text = value.strip()
    else:
        text = clean(value.translate(_INVISIBLE)).replace("\u00a0", " ").strip()
    if len(text) > 3 and text.startswith('="') and text.endswith('"'):  # how Excel is told to keep a text
        text = text[2:-1]
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL + 1]


def _trimmed(cells: list[str]) -> list[str]:
    while cells and not cells[-1]:
        cells.pop()
    return cells
