"""Reading a row of an API leniently: a missing field has its default, a wrong type has it too and is doubted."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from organizer.upstream.clean import cleaned

LARGEST = 2**63 - 1
LONGEST_ID, LONGEST_WORD = 500, 100
"""What an index of the database can hold, by far."""
LARGEST_MONEY = Decimal(10) ** 12
YEARS = range(1900, 9000)
"""Outside of these a time zone's shift may leave what a date can hold."""


class NoId(ValueError):
    """A row without a usable id cannot be taken."""


@dataclass(frozen=True)
class Page[T]:
    items: tuple[T, ...]
    doubts: tuple[str, ...]  # rows that could not be taken, and why
    number: int
    pages: int | None
    total: int | None
    requested_at: datetime


class Row:
    """One object of an answer: the fields are asked for by type, the odd ones are noted."""

    def __init__(self, raw: Any) -> None:
        self._doubts: list[str] = []
        payload = cleaned(raw, self._doubts)
        self.payload: dict[str, Any] = payload if isinstance(payload, dict) else {}

    @property
    def doubts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._doubts))

    def id(self, name: str = "id") -> str:
        value = self.payload.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            self._doubt(name, "was a number")
            return str(value)
        if isinstance(value, str) and value:
            if len(value) > LONGEST_ID:
                raise NoId("a row whose id is too long")
            return value
        raise NoId("a row without an id" if value in (None, "") else "a row whose id is no text")

    def reference(self, name: str) -> str:
        """The id of another object, or nothing."""
        try:
            return self.id(name)
        except NoId:
            if self.payload.get(name) not in (None, ""):
                self._doubt(name, "was no id")
            return ""

    def required_word(self, name: str) -> str:
        if self.payload.get(name) is None:
            self._doubt(name, "was missing")
        return self.word(name)

    def required_text(self, name: str) -> str:
        if self.payload.get(name) is None:
            self._doubt(name, "was missing")
        return self.text(name)

    def word(self, name: str, default: str = "") -> str:
        """The API's own word for a state: an unknown one is kept as it came."""
        value = self.text(name, default)
        if len(value) > LONGEST_WORD:
            self._doubt(name, "was too long and is cut")
        return value[:LONGEST_WORD]

    def text(self, name: str, default: str = "") -> str:
        value = self.payload.get(name)
        if value is None:
            return default
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            self._doubt(name, "was a number")
            return str(value)
        return self._default(name, "was no text", default)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.payload.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            return self._default(name, "was no list", ())
        return tuple(item for item in value if isinstance(item, str))

    def whole(self, name: str, default: int = 0) -> int:
        value = self.payload.get(name)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return self._default(name, "was no whole number", default)
        if abs(value) > LARGEST:
            return self._default(name, "was too large", default)
        return value

    def number(self, name: str) -> float | None:
        value = self.payload.get(name)
        if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
            return value
        return self._default(name, "was no number", None)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.payload.get(name)
        if value is None:
            return default
        return value if isinstance(value, bool) else self._default(name, "was neither true nor false", default)

    def money(self, name: str, default: Decimal = Decimal(0)) -> Decimal:
        value = self.payload.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return self._default(name, "was no amount", default)
        if isinstance(value, str):
            self._doubt(name, "was an amount written as text")
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            return self._default(name, "was no amount", default)
        if not amount.is_finite() or abs(amount) >= LARGEST_MONEY:
            return self._default(name, "was too large", default)
        return round(amount, 4) if amount.as_tuple().exponent < -4 else amount  # type: ignore[operator]

    def moment(self, name: str) -> datetime | None:
        value = self.payload.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            return self._default(name, "was no time", None)
        try:
            at = datetime.fromisoformat(value.strip())
            if at.tzinfo is None:
                self._doubt(name, "had no time zone and was read as UTC")
                at = at.replace(tzinfo=UTC)
            at = at.astimezone(UTC)
        except (ValueError, OverflowError):
            return self._default(name, "was no time", None)
        return at if at.year in YEARS else self._default(name, "was out of range", None)

    def part(self, name: str) -> "Row | None":
        """An object inside this one; its doubts count as this one's."""
        value = self.payload.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            return self._default(name, "was no object", None)
        return _Part(value, name, self._doubts)

    def parts(self, name: str) -> "tuple[Row, ...]":
        """The objects of a list inside this one; their doubts count as this one's."""
        value = self.payload.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            return self._default(name, "was no list", ())
        if not all(isinstance(item, dict) for item in value):
            self._doubt(name, "held what was no object")
        found = [(number, item) for number, item in enumerate(value, 1) if isinstance(item, dict)]
        return tuple(_Part(item, f"{name}.{number}", self._doubts) for number, item in found)

    def _doubt(self, name: str, what: str) -> None:
        self._doubts.append(f"{name} {what}")

    def _default[T](self, name: str, what: str, default: T) -> T:
        self._doubt(name, what)
        return default


class _Part(Row):
    """Already cleaned with its whole."""

    def __init__(self, payload: dict[str, Any], name: str, doubts: list[str]) -> None:
        self.payload = payload
        self._name = name
        self._doubts = doubts

    def _doubt(self, name: str, what: str) -> None:
        super()._doubt(f"{self._name}.{name}", what)
