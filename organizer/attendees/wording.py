"""Messages with placeholders: `{first_name}` becomes the guest's, `{{` and `}}` are braces. Pure."""

import re
from collections.abc import Mapping

LONGEST_MESSAGE = 10_000
PLACEHOLDERS = ("first_name", "last_name", "name", "email", "event", "event_date", "event_place", "ticket_class")
_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class Unknown(Exception):
    """A placeholder that we do not have, or a brace that stands alone: `said` is how it was written."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class TooLong(Exception):
    def __init__(self, length: int) -> None:
        super().__init__(length)
        self.length = length


def placeholders(text: str) -> set[str]:
    """Those that occur in it. Raises `Unknown`."""
    found = set()
    for part in _PART.finditer(text):
        if part[0] in ("{{", "}}"):
            continue
        name = (part[1] or "").strip().lower()
        if name not in PLACEHOLDERS:
            raise Unknown(part[0])
        found.add(name)
    return found


def fill(text: str, values: Mapping[str, str]) -> str:
    """Raises `Unknown`, and `TooLong` where what came of it is."""

    def one(part: re.Match[str]) -> str:
        return part[0][0] if part[0] in ("{{", "}}") else values[(part[1] or "").strip().lower()]

    placeholders(text)
    filled = _PART.sub(one, text)
    if len(filled) > LONGEST_MESSAGE:
        raise TooLong(len(filled))
    return filled
