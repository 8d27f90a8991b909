"""A body as a person reads it: laid out, as text, or as bytes. Whatever the bytes are, showing them does not fail.

Nothing here is HTML: templates escape every piece. Pure.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from django.utils.translation import gettext as _

from organizer.webhooks.receiver import reading
from organizer.webhooks.receiver.reading import IDENTIFIERS, MOST_FIELDS

VIEWS = PRETTY, RAW, HEX = "pretty", "raw", "hex"
MOST_LINES = 1_500
DEEPEST = 40
"""Deeper than people read; the indentation alone would otherwise outgrow the body a thousand times."""
NARROW = 64
BYTES_A_LINE = 16
MOST_HEX = 16_384
_NAME = re.compile(r"[\w.\[\]-]{1,100}")
# what would turn the direction of everything after it
_TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class Piece:
    kind: str
    """"k" a name, "s" a text, "d" a number or another value, "" what stands between them."""
    text: str


@dataclass(frozen=True)
class Line:
    pieces: Sequence[Piece]
    mark: str = ""
    """"read": the order was read from it; "unused": it could have been."""
    note: str = ""


@dataclass(frozen=True)
class Shown:
    view: str
    """What it is shown as, which is not always what was asked for."""
    lines: Sequence[Line] = ()
    text: str = ""
    note: str = ""


class _TooMuch(Exception):
    pass


class _Number(str):
    """As it was sent: 1.10 stays 1.10, and no number is too long."""


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with every name that it has, in its order."""


def shown(body: bytes, view: str, read_from: str) -> Shown:
    """`read_from` is the name that the reference stood under."""
    if view == HEX:
        return Shown(HEX, text="\n".join(_hex(body[:MOST_HEX])), note=_cut(len(body)))
    if view == RAW or not body:
        return Shown(RAW, text=as_text(body))
    value, is_json = _json(body)
    try:
        if is_json:
            return Shown(PRETTY, list(_few(_top(value, read_from))))
        if fields := _form(body):
            return Shown(PRETTY, list(_few(_of_form(fields, read_from))), note=_("A form, field by field."))
    except _TooMuch:
        return Shown(RAW, text=as_text(body), note=_("It is too deep or too long to be laid out."))
    return Shown(RAW, text=as_text(body), note=_("It is neither JSON nor a form."))


def as_text(body: bytes) -> str:
    """UTF-8 where it is, with every control character in sight."""
    return visible(body.decode("utf-8", "replace"))


def visible(text: str) -> str:
    return "".join(_seen(one) if one in _TURNS or not (one.isprintable() or one in "\n\t") else one for one in text)


def _seen(one: str) -> str:
    code = ord(one)
    if code < 0x20:
        return chr(0x2400 + code)
    return f"\\u{code:04x}" if code < 0x10000 else one


def _hex(body: bytes) -> Iterator[str]:
    for start in range(0, len(body), BYTES_A_LINE):
        some = body[start : start + BYTES_A_LINE]
        letters = "".join(chr(one) if 0x20 <= one < 0x7F else "·" for one in some)
        yield f"{start:06x}  {some.hex(' '):<{3 * BYTES_A_LINE - 1}}  {letters}"


def _cut(size: int) -> str:
    return _("The first 16 KB: download it for all.") if size > MOST_HEX else ""


def _json(body: bytes) -> tuple[Any, bool]:
    try:
        return json.loads(
            body, object_pairs_hook=_Pairs, parse_int=_Number, parse_float=_Number, parse_constant=_Number
        ), True  # fmt: skip
    except (ValueError, RecursionError):
        return None, False


def _form(body: bytes) -> list[tuple[str, str]]:
    """Almost any text could be one: its names must look like names."""
    try:
        fields = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return []
    return fields if b"=" in body and all(_NAME.fullmatch(name) for name, _value in fields) else []


def _few(lines: Iterator[Line]) -> Iterator[Line]:
    for number, line in enumerate(lines):
        if number == MOST_LINES:
            raise _TooMuch
        yield line


def _top(value: Any, read_from: str) -> Iterator[Line]:
    """The names at the top are those that an order is read from."""
    if not isinstance(value, _Pairs) or not value:
        yield from _value(value, 0, [], "")
        return
    yield Line([Piece("", "{")])
    marks = _marks(value, read_from, last_wins=True)
    for number, (name, one) in enumerate(value):
        end = "," if number < len(value) - 1 else ""
        first, *others = _value(one, 1, [Piece("k", _text(name)), Piece("", ": ")], end)
        mark, note = marks.get(number, ("", ""))
        yield Line(first.pieces, mark, note)
        yield from others
    yield Line([Piece("", "}")])


def _value(value: Any, depth: int, before: list[Piece], end: str) -> Iterator[Line]:
    if depth > DEEPEST:
        raise _TooMuch
    indent = [Piece("", "  " * depth)]
    if not isinstance(value, list) or not value:
        yield Line([*indent, *before, *_leaf(value), Piece("", end)])
        return
    named = isinstance(value, _Pairs)
    opening, closing = "{}" if named else "[]"
    if short := _on_one_line(value):
        yield Line([*indent, *before, Piece("", f"{opening} "), *short, Piece("", f" {closing}{end}")])
        return
    yield Line([*indent, *before, Piece("", opening)])
    for number, one in enumerate(value):
        after = "," if number < len(value) - 1 else ""
        name = [Piece("k", _text(one[0])), Piece("", ": ")] if named else []
        yield from _value(one[1] if named else one, depth + 1, name, after)
    yield Line([*indent, Piece("", closing + end)])


def _leaf(value: Any) -> list[Piece]:
    if isinstance(value, _Pairs):
        return [Piece("", "{}")]
    if isinstance(value, list):
        return [Piece("", "[]")]
    if isinstance(value, _Number):
        return [Piece("d", value)]
    return [Piece("s", _text(value))] if isinstance(value, str) else [Piece("d", json.dumps(value))]


def _on_one_line(value: list[Any]) -> list[Piece]:
    """The pieces of what is small and holds nothing deeper; empty where it is not."""
    named = isinstance(value, _Pairs)
    values = [one[1] for one in value] if named else value
    if len(values) > 8 or any(isinstance(one, list) and one for one in values):
        return []
    pieces: list[Piece] = []
    for number, one in enumerate(value):
        pieces += [Piece("", ", ")] if number else []
        pieces += [Piece("k", _text(one[0])), Piece("", ": ")] if named else []
        pieces += _leaf(values[number])
    return pieces if sum(len(piece.text) for piece in pieces) <= NARROW else []


def _text(value: str) -> str:
    return visible(json.dumps(value, ensure_ascii=False))


def _of_form(fields: Sequence[tuple[str, str]], read_from: str) -> Iterator[Line]:
    marks = _marks(fields, read_from, last_wins=False)
    inner = bool(read_from) and not any(mark == "read" for mark, _note in marks.values())
    for number, (name, value) in enumerate(fields):
        mark, note = marks.get(number, ("", ""))
        if inner and value.lstrip().startswith("{"):
            mark, note, inner = "read", _("the order was read from the JSON in here, %s") % read_from, False
        yield Line([Piece("k", visible(name)), Piece("", " = "), Piece("s", visible(value))], mark, note)


def _marks(pairs: Sequence[tuple[str, Any]], read_from: str, *, last_wins: bool) -> dict[int, tuple[str, str]]:
    """What was read, and what could have been, by the place in `pairs`."""
    places = range(len(pairs)) if last_wins else range(len(pairs) - 1, -1, -1)
    counting = {pairs[place][0]: place for place in places}
    marks = {}
    for place, (name, value) in enumerate(pairs):
        if name not in IDENTIFIERS:
            continue
        if counting[name] != place:
            marks[place] = ("unused", _("not used: the same name stands here twice"))
        elif name == read_from:
            marks[place] = ("read", _("read as the order"))
        elif not _usable(value):
            marks[place] = ("unused", _("not used: it can be nobody's reference"))
        elif read_from:
            marks[place] = ("unused", _("not used: %(one)s wins over %(other)s") % {"one": read_from, "other": name})
    return marks


def _usable(value: Any) -> bool:
    if isinstance(value, _Number):
        return value.removeprefix("-").isdecimal() and len(value) <= reading.LONGEST_REFERENCE
    return bool(reading.usable_reference(value))
