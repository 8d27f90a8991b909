"""What comes from outside, made storable: JSON that no database refuses, and a note of everything that was changed."""

import json
import math
from typing import Any

from organizer.kit.text import REPLACEMENT, clean

MAX_DEPTH = 64
MAX_DIGITS = 30
"""Longer integers are no numbers of this API; they are kept as text."""


class _Twice(dict[str, Any]):
    """An object that named a field twice."""


class _LongNumber(str):
    """The digits of an integer that is too long to be one."""

    __slots__ = ()


def parse(body: bytes) -> Any:
    """JSON as it came; `cleaned` makes it storable, row by row. Raises ValueError where it is no JSON."""
    try:
        text = body.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError:
        text = body.decode("utf-8-sig", "replace")
    try:
        return json.loads(text, parse_int=_integer, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def cleaned(value: Any, doubts: list[str], path: str = "", depth: int = 0) -> Any:
    """A copy that both databases store; what had to be changed is added to `doubts` in words."""
    where = path[-100:] or "the answer"
    if isinstance(value, dict | list) and depth >= MAX_DEPTH:
        doubts.append(f"{where} was nested too deeply")
        return None
    match value:
        case dict():
            if isinstance(value, _Twice):
                doubts.append(f"{where} named a field twice")
            return dict(_field(key, item, doubts, path, depth + 1) for key, item in value.items())
        case list():
            return [cleaned(item, doubts, path, depth + 1) for item in value]
        case _LongNumber():
            doubts.append(f"{where} was a number of {len(value)} digits")
            return str(value[:1000])
        case str():
            return _text(value, doubts, where)
        case float() if not math.isfinite(value):
            doubts.append(f"{where} was not a finite number")
            return None
    return value


def _field(key: str, item: Any, doubts: list[str], path: str, depth: int) -> tuple[str, Any]:
    key = _text(key, doubts, "a field's name")
    return key, cleaned(item, doubts, f"{path}.{key}" if path else key, depth)


def _text(value: str, doubts: list[str], where: str) -> str:
    storable = clean(value)
    if storable != value:
        doubts.append(f"{where} had characters that cannot be stored; they are shown as {REPLACEMENT}")
    return storable


def _integer(digits: str) -> int | _LongNumber:
    return int(digits) if len(digits) <= MAX_DIGITS else _LongNumber(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Twice(found)
