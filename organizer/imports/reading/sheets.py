"""XLSX: the first sheet, read as a stream, after a look at how large it would become unpacked."""

import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any, BinaryIO

import openpyxl
from openpyxl.workbook import Workbook

from organizer.imports.reading.table import MOST_COLUMNS, Table, Unreadable, table

MOST_UNPACKED = 48 * 1024 * 1024
MOST_PARTS = 500
MOST_LINES = 50_000
"""Lines with and without content: a sheet that is formatted to its very end has a million of them."""
WORKBOOK = "xl/workbook.xml"


def read(file: BinaryIO) -> Table:
    _look_into(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that we do not use
            book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
            try:
                return _read(book)
            finally:
                book.close()
    except Unreadable:
        raise
    except Exception as error:  # whatever a broken file makes of the library
        raise Unreadable("broken_sheet") from error


def _look_into(file: BinaryIO) -> None:
    """The sizes that a ZIP names are binding: its reader gives no byte more."""
    try:
        with zipfile.ZipFile(file) as packed:
            parts = packed.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise Unreadable("broken_sheet") from None
    names = {part.filename for part in parts}
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise Unreadable("too_big_unpacked")
    if WORKBOOK not in names:
        raise Unreadable("another_kind", kind="ODS" if "content.xml" in names else "ZIP")
    file.seek(0)


def _read(book: Workbook) -> Table:
    sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"] or book.worksheets
    if not sheets:
        raise Unreadable("empty")
    first = sheets[0]
    return table(_lines(first), {"sheet": first.title, "sheets": len(sheets)})


def _lines(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    sheet.reset_dimensions()  # what a file says of its own size may be wrong
    for number, values in enumerate(sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS + 1), 1):
        if number > MOST_LINES:
            raise Unreadable("too_many_lines", most=MOST_LINES)
        yield number, [_text(value) for value in values]


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat()
    return str(value)
