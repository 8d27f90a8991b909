"""A list as a file: CSV that is streamed, and XLSX by way of a temporary file. Neither holds all rows.

Text that came from people stays text in a spreadsheet (OWASP, "CSV Injection"): CSV has no types, so a cell that a
program would compute gets an apostrophe before it; in XLSX it is a cell of text. Times are written on one clock,
without its name, since no spreadsheet knows zones: say the zone in the head.
"""

import csv
import logging
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal
from itertools import batched, chain, islice
from typing import Any

from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from organizer.kit.text import REPLACEMENT, clean

logger = logging.getLogger(__name__)

type Cell = str | int | Decimal | datetime | date | None

BOM = "\ufeff"  # without it Excel reads CSV in the machine's old encoding
AT_ONCE = 200
"""Rows of one piece of the stream, and those by which columns get their widths."""
MOST_ROWS = 1_048_576
"""What a sheet of XLSX holds, its head included."""
WIDTHS = (10, 44)
LONGEST_NAME = 120
MIME = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

_FORMULA = r"[=+\-@\u2212\uff0b\uff0d\uff1d\uff20]"
_COMPUTED = re.compile(rf"\A[\t\r\n]|\A\s*{_FORMULA}")
# where a program parts cells at semicolons or tabs, what follows one inside a cell begins a cell of its own
_COMPUTED_INSIDE = re.compile(rf"([;\t\r\n][\s\"']*)(?={_FORMULA})")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|]+')


@dataclass(frozen=True)
class Sheet:
    name: str
    """Of the file, without its ending."""
    head: Sequence[str]
    rows: Iterable[Sequence[Cell]]
    zone: tzinfo
    """On whose clock times are written. Named here, since the person's zone is over when a stream is read."""


def response(sheet: Sheet, kind: str) -> HttpResponseBase:
    """`kind` is one of `KINDS`."""
    answer = KINDS[kind](sheet)
    answer["Content-Type"] = MIME[kind]
    answer["Content-Disposition"] = content_disposition_header(True, f"{file_name(sheet.name)}.{kind}") or "attachment"
    answer["Cache-Control"] = "no-store"
    return answer


def file_name(text: str) -> str:
    """Letters of every script stay; what file systems refuse, and what turns a name's direction around, does not."""
    plain = _NOT_IN_NAMES.sub(" ", clean(text))
    seen = "".join(" " if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp", "Co") else one for one in plain)
    return " ".join(seen.split()).strip(" .")[:LONGEST_NAME].strip(" .") or "export"


def csv_stream(sheet: Sheet) -> Iterator[str]:
    """RFC 4180. What breaks in the middle is said by the last line, since no server tells the browser of it."""
    line = csv.writer(_Through())
    yield BOM + line.writerow([guarded(text) for text in sheet.head])
    try:
        for some in batched(sheet.rows, AT_ONCE):
            yield "".join([line.writerow([_in_csv(cell, sheet.zone) for cell in row]) for row in some])
    except Exception:
        logger.exception("An export broke off")
        # not raised again: granian would end the answer as if it were whole, and without what is still to be compressed
        yield line.writerow([_("THIS FILE IS NOT WHOLE: an error ended it here. Export it again.")])


def write_xlsx(sheet: Sheet, file: Any) -> None:
    book, rows = Workbook(write_only=True), iter(sheet.rows)
    try:
        ahead = list(islice(rows, AT_ONCE))
        while ahead or not book.worksheets:
            page = book.create_sheet(_("Sheet %(n)s") % {"n": len(book.worksheets) + 1})
            _fill(page, sheet, ahead, islice(rows, MOST_ROWS - 1 - len(ahead)))
            ahead = list(islice(rows, AT_ONCE))
    except BaseException:
        with tempfile.TemporaryFile() as nowhere:  # only saving has it clear its own temporary files away
            book.save(nowhere)
        raise
    book.save(file)


class _Through:
    """What a csv.writer writes to: `writerow` returns what this returns."""

    def write(self, text: str) -> str:
        return text


def _csv(sheet: Sheet) -> HttpResponseBase:
    return StreamingHttpResponse(text.encode(errors="replace") for text in csv_stream(sheet))


def _xlsx(sheet: Sheet) -> HttpResponseBase:
    file = tempfile.TemporaryFile()  # noqa: SIM115 the response closes it
    try:
        write_xlsx(sheet, file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    answer = FileResponse(file)
    answer["Content-Encoding"] = "identity"  # compressed as it is; and with its length a cut download is known for one
    return answer


KINDS: dict[str, Callable[[Sheet], HttpResponseBase]] = {"csv": _csv, "xlsx": _xlsx}


def _in_csv(cell: Cell, zone: tzinfo) -> Any:
    if isinstance(cell, str):
        return guarded(cell)
    return _on_the_clock(cell, zone) if isinstance(cell, datetime) else cell


def guarded(text: str) -> str:
    """A spreadsheet would compute what begins like a formula."""
    text = _COMPUTED_INSIDE.sub(r"\1'", clean(text))
    return f"'{text}" if _COMPUTED.match(text) else text


def _fill(page: Any, sheet: Sheet, ahead: Sequence[Sequence[Cell]], rows: Iterator[Sequence[Cell]]) -> None:
    page.freeze_panes = "A2"
    for number, title in enumerate(sheet.head):
        longest = max(len(title), *(_length(row[number]) for row in ahead), 0)
        page.column_dimensions[get_column_letter(number + 1)].width = min(max(WIDTHS[0], longest + 2), WIDTHS[1])
    page.append([_bold(page, title) for title in sheet.head])
    for row in chain(ahead, rows):
        page.append([_in_xlsx(page, cell, sheet.zone) for cell in row])


def _length(cell: Cell) -> int:
    return 19 if isinstance(cell, datetime) else len(str(cell)) if cell is not None else 0


def _bold(page: Any, text: str) -> Any:
    cell = _text(page, text)
    cell.font = Font(bold=True)
    return cell


def _in_xlsx(page: Any, cell: Cell, zone: tzinfo) -> Any:
    if isinstance(cell, datetime):
        return _on_the_clock(cell, zone)
    if not isinstance(cell, str):
        return cell
    plain = _storable(cell)
    # a formula or an error's name would be taken for one; all else openpyxl takes for text, and is quicker without us
    return _text(page, plain) if plain[:1] in ("=", "#") or _COMPUTED.match(plain) else plain


def _text(page: Any, text: str) -> Any:
    cell = WriteOnlyCell(page, _storable(text))
    cell.data_type, cell.quotePrefix = "s", True  # the second: text it stays, also when somebody edits the cell
    return cell


def _storable(text: str) -> str:
    """XML holds no control characters, and `_x0041_` would be read as one letter."""
    return _LOOKS_ESCAPED.sub("_x005F_", _NOT_IN_XML.sub(REPLACEMENT, clean(text)))


def _on_the_clock(at: datetime, zone: tzinfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, microsecond=0)
