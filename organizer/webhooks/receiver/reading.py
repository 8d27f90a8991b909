"""What a body says: which order it is about, and what happened. Read by the supplier's word, trusted in nothing.

Rules: specs/3-webhook-receiver.md, "Webhook payload". Whatever the bytes are, reading them does not fail.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

IDENTIFIERS = ("order_id", "orderId", "reference", "id")
"""In the order in which they count."""
LONGEST_REFERENCE, LONGEST_EVENT = 255, 100
MOST_FIELDS = 1000

ID_BESIDE_REFERENCE = "id_beside_reference"
SHADOWED = "shadowed"
DUPLICATE_KEYS = "duplicate_keys"
REPEATED_FIELD = "repeated_field"

Pairs = Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Reading:
    reference: str = ""
    field: str = ""
    """The name that the reference stood under."""
    event: str = ""
    flags: tuple[str, ...] = ()


class _Object(list[tuple[str, Any]]):
    """A JSON object as it was written: a name that stands there twice is seen."""


def read(body: bytes) -> Reading:
    value, is_json = _json(body)
    if isinstance(value, _Object):
        return _of(value, DUPLICATE_KEYS, last_wins=True)
    return Reading() if is_json else _form(body)


def _form(body: bytes) -> Reading:
    try:
        fields = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return Reading()
    direct = _of([(name, value) for name, value in fields if "\ufffd" not in value], REPEATED_FIELD, last_wins=False)
    inner = Reading() if direct.reference else _first_object(value for _, value in fields)
    return Reading(
        direct.reference or inner.reference,
        direct.field or inner.field,
        direct.event or inner.event,
        direct.flags + inner.flags,
    )


def _first_object(values: Iterable[str]) -> Reading:
    for value in values:
        if value.lstrip().startswith("{"):
            found, _ = _json(value.encode("utf-8", "replace"))
            if isinstance(found, _Object):
                return _of(found, DUPLICATE_KEYS, last_wins=True)
    return Reading()


def _json(body: bytes) -> tuple[Any, bool]:
    try:
        return json.loads(body, object_pairs_hook=_Object), True
    except (ValueError, RecursionError):
        return None, False


def _of(pairs: Pairs, repeated: str, *, last_wins: bool) -> Reading:
    said = dict(pairs) if last_wins else dict(reversed(pairs))
    usable = {name: usable_reference(said[name]) for name in IDENTIFIERS if name in said}
    found = [name for name in IDENTIFIERS if usable.get(name)]
    if not found:
        return Reading(event=_event(said.get("event")), flags=(repeated,) if _repeats(pairs) else ())
    flags = [repeated] if _repeats(pairs) else []
    if "reference" in found[1:]:
        flags.append(SHADOWED)
    if found[0] == "reference" and "id" in found:
        flags.append(ID_BESIDE_REFERENCE)
    return Reading(usable[found[0]], found[0], _event(said.get("event")), tuple(flags))


def _repeats(pairs: Pairs) -> bool:
    return len({name for name, _ in pairs}) < len(pairs)


def usable_reference(value: Any) -> str:
    """Empty where it can be nobody's reference."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or "\x00" in value or not _is_text(value):
        return ""
    value = value.strip()
    return value if len(value) <= LONGEST_REFERENCE else ""


def _event(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    kept = "".join(character for character in value if character != "\x00" and _is_text(character))
    return kept.strip()[:LONGEST_EVENT]


def _is_text(value: str) -> bool:
    """No half of a surrogate pair, which no database holds."""
    return not any("\ud800" <= character <= "\udfff" for character in value)
