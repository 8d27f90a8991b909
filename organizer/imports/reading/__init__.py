"""A file of guests as rows of text, whatever it is called: what it holds decides."""

from typing import BinaryIO

from organizer.imports.reading import sheets, texts
from organizer.imports.reading.table import MOST_COLUMNS, MOST_ROWS, Row, Table, Unreadable
from organizer.kit.uploads import MOST_BYTES

__all__ = ["MOST_BYTES", "MOST_COLUMNS", "MOST_ROWS", "Row", "Table", "Unreadable", "read"]

_ZIP, _OLD_OFFICE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHERS = {
    b"%PDF": "PDF",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"\x1f\x8b": "gzip",
    b"Rar!": "RAR",
    b"7z\xbc\xaf": "7z",
    b"SQLite format": "SQLite",
    b"{\\rtf": "RTF",
}


def read(file: BinaryIO, size: int) -> Table:
    """Raises `Unreadable`. Nothing is held in memory before its size is known to be bearable."""
    if size > MOST_BYTES:
        raise Unreadable("too_big")
    start = file.read(16)
    file.seek(0)
    if not start.strip():
        raise Unreadable("empty")
    if start.startswith(_ZIP):
        return sheets.read(file)
    if start.startswith(_OLD_OFFICE):
        raise Unreadable("old_excel")
    for mark, name in _OTHERS.items():
        if start.startswith(mark):
            raise Unreadable("another_kind", kind=name)
    return texts.read(file.read(MOST_BYTES + 1))
