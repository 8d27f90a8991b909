"""CSV and its relatives: the encoding and what stands between columns are found out from the bytes."""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import charset_normalizer

from organizer.imports.reading.table import MOST_ROWS, Row, Table, Unreadable, table, tidy

DELIMITERS = (",", ";", "\t", "|")
LOOK_AT = 50
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Western (Windows-1252)",
    "cp1250": "Central European (Windows-1250)",
    "mac_roman": "Western (Mac)",
    "cp1254": "Turkish (Windows-1254)",
    "cp1257": "Baltic (Windows-1257)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8_r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows-1253)",
    "cp1255": "Hebrew (Windows-1255)",
    "cp1256": "Arabic (Windows-1256)",
    "shift_jis": "Japanese (Shift JIS)",
    "euc_jp": "Japanese (EUC)",
    "gb18030": "Chinese (GB 18030)",
    "big5": "Chinese (Big5)",
    "euc_kr": "Korean (EUC)",
}
"""What a person may choose from where the letters came out wrong."""
_LIKELY = [name for name in ENCODINGS if name != "utf-8"]
"""What spreadsheets write; among all that exist a short text is taken for anything."""
_LATIN = ("cp1252", "cp1250", "mac_roman", "cp1254", "cp1257")
"""In the order in which they are met."""
_USUAL_SIGNS = frozenset(map(chr, range(128))) | frozenset("–—’‘“”„«»€…\u00a0")
_LINE_END = re.compile("\r\n|\r|\n")
_NOT_A_TABLE = ("<!doctype", "<html", "<?xml", "{", "[{", "-----begin")


def read(data: bytes) -> Table:
    text, encoding = decode(data)
    if text.lstrip().lower().startswith(_NOT_A_TABLE):
        raise Unreadable("not_a_table")
    lines = _LINE_END.split(text)  # `splitlines` would also break names at signs that nobody sees
    told = lines[0][4:5] if lines[0].lower().startswith("sep=") else ""
    delimiter = told or delimiter_of(lines[:LOOK_AT])
    how = {"encoding": encoding, "delimiter": delimiter}
    return table(enumerate(_parsed(lines[1 if told else 0 :], delimiter), 2 if told else 1), how)


def decode(data: bytes) -> tuple[str, str]:
    """The text and the encoding's name. Raises `Unreadable` for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding), encoding.removesuffix("-sig")
    if b"\x00" in data[:4096]:
        return _wide(data)
    if any(byte in data for byte in b"\x01\x02\x03\x04\x05\x06\x0e\x0f"):
        raise Unreadable("not_text")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        if error.start > 0 and error.end >= len(data) - 3 and error.reason == "unexpected end of data":
            raise Unreadable("cut_off") from None
    best = charset_normalizer.from_bytes(data, cp_isolation=_LIKELY).best()
    if best is None:
        raise Unreadable("encoding")
    encoding = _latin(data) if best.encoding in _LATIN else best.encoding
    return _decoded(data, encoding), encoding


def reread(found: Table, encoding: str) -> Table:
    """The same bytes in another encoding: each decoded strictly, so nothing of them was lost."""

    def again(text: str) -> str:
        return (
            text if text.isascii() else tidy(text.encode(found.how["encoding"], "replace").decode(encoding, "replace"))
        )

    rows = (Row(row.number, tuple(map(again, row.cells))) for row in found.rows)
    return Table(tuple(map(again, found.header)), tuple(rows), found.how | {"encoding": encoding, "reread": True})


def delimiter_of(lines: Sequence[str]) -> str:
    """What cuts most of the lines into the same number of columns, the more the better; "," where nothing does."""

    def fits(delimiter: str) -> tuple[int, int]:
        widths = Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter) if any(cells))
        width, often = max(widths.items(), key=lambda found: (found[1], found[0]), default=(1, 0))
        return (often, width) if width > 1 else (0, 0)

    return max(DELIMITERS, key=fits)


def _latin(data: bytes) -> str:
    """A few accents tell a library nothing. In the wrong one of these letters become signs, or capitals in words."""

    def oddity(encoding: str) -> int:
        text = data.decode(encoding, "replace")
        capitals = sum(one[0].islower() and one[1].isupper() for one in re.findall(r"[^\W\d_][^\x00-\x7f]", text))
        return capitals + 2 * sum(not character.isalpha() for character in text if character not in _USUAL_SIGNS)

    return min(_LATIN[:3], key=oddity)


def _wide(data: bytes) -> tuple[str, str]:
    """UTF-16 without its mark: every other byte of plain letters is zero."""
    zeros = data[:4096]
    even, odd = zeros[::2].count(0), zeros[1::2].count(0)
    if max(even, odd) * 3 < len(zeros) // 2 or min(even, odd) * 10 > max(even, odd):
        raise Unreadable("not_text")
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    return _decoded(data, encoding), encoding


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("encoding") from None


def _parsed(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """A record of several lines is one row. A quotation mark that nobody closes would swallow the rest in silence."""
    ended = [f"{line}\n" for line in lines]
    try:
        for _cells in islice(csv.reader(ended, delimiter=delimiter, strict=True), MOST_ROWS + 2):
            pass
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise Unreadable("open_quote") from None
    try:
        yield from csv.reader(ended, delimiter=delimiter)
    except csv.Error:
        raise Unreadable("open_quote") from None
