"""What would become of each row of a file, and why not. Pure: values in, verdicts out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from organizer.imports.headings import CLASS, EMAIL, FIRST, LAST, NAME
from organizer.imports.reading.table import Row, Table
from organizer.kit.text import fold

LONGEST_EMAIL, LONGEST_NAME = 254, 120
SOLD, HOLDS = "valid", ("valid", "checked_in", "pending_approval")
_PART = r"[^@\s\x00-\x20\x7f<>()\[\],;:\"\\]+"
_ADDRESS = re.compile(rf"{_PART}@{_PART}")
_NAMED = re.compile(r"^(?P<name>[^<>]*)<(?P<address>[^<>]+)>$")
_ERRORS = ("#REF!", "#N/A", "#NAME?", "#VALUE!", "#DIV/0!", "#NULL!", "#NUM!")


class Verdict(StrEnum):
    """The first three are added; the others are refused."""

    ADD = "add"
    UPGRADE = "upgrade"  # was invited
    ANEW = "anew"  # was rejected or deleted
    HAS_TICKET = "has_ticket"
    TWICE = "twice"
    NO_EMAIL = "no_email"
    BAD_EMAIL = "bad_email"
    BAD_NAME = "bad_name"
    NO_CLASS = "no_class"
    CLASS_FULL = "class_full"
    EVENT_FULL = "event_full"
    HEADING = "heading"


GOES = (Verdict.ADD, Verdict.UPGRADE, Verdict.ANEW)


@dataclass(frozen=True)
class Class:
    id: str
    name: str
    room: int | None
    """None is unlimited."""


@dataclass
class Known:
    """The event as the mirror has it; the rooms shrink as rows are let in."""

    statuses: Mapping[str, str]
    """By e-mail in lower case."""
    classes: Mapping[str, Class]
    """By id, and by folded name."""
    room: int | None = None
    rooms: dict[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rooms = {one.id: one.room for one in self.classes.values()}


@dataclass(frozen=True)
class Choices:
    fields: tuple[str, ...]
    """A field for each column, "" for what is not used."""
    ticket_class: str
    """The id of the class of rows that name none; "" where each must."""
    status: str = SOLD


@dataclass(frozen=True)
class Checked:
    number: int
    verdict: Verdict
    detail: str = ""
    """What the sentence names: another row, a class, a field."""
    email: str = ""
    first_name: str = ""
    last_name: str = ""
    class_id: str = ""

    @property
    def goes(self) -> bool:
        return self.verdict in GOES


def check(table: Table, choices: Choices, known: Known) -> list[Checked]:
    """Each row in its order: the first of an address is taken, and who comes first gets the seat."""
    seen: dict[str, int] = {}
    return [_check(row, table.header, choices, known, seen) for row in table.rows]


def _check(row: Row, header: Sequence[str], choices: Choices, known: Known, seen: dict[str, int]) -> Checked:
    if row.cells == header:
        return Checked(row.number, Verdict.HEADING)
    said = {field: cell for field, cell in zip(choices.fields, row.cells, strict=True) if field}
    email, named = address(said.get(EMAIL, ""))
    first, last = _names(said, named)

    def so(verdict: Verdict, detail: str = "", class_id: str = "") -> Checked:
        return Checked(row.number, verdict, detail, email, first, last, class_id)

    if not email:
        return so(Verdict.NO_EMAIL)
    if not is_address(email):
        return so(Verdict.BAD_EMAIL)
    if wrong := _wrong_name(first) or _wrong_name(last):
        return so(Verdict.BAD_NAME, wrong)
    if email in seen:
        return so(Verdict.TWICE, str(seen[email]))
    had = known.statuses.get(email, "")
    if had in HOLDS or had == choices.status:
        return so(Verdict.HAS_TICKET, had)
    wanted = said.get(CLASS, "") or choices.ticket_class
    ticket_class = known.classes.get(wanted) or known.classes.get(fold(wanted))
    if ticket_class is None:
        return so(Verdict.NO_CLASS, wanted)
    if choices.status == SOLD and (full := _take_seat(ticket_class, known)):
        return so(full, ticket_class.name, ticket_class.id)
    seen[email] = row.number
    verdict = Verdict.UPGRADE if had == "invited" else Verdict.ANEW if had in ("rejected", "deleted") else Verdict.ADD
    return so(verdict, had, ticket_class.id)


def address(said: str) -> tuple[str, str]:
    """In lower case, and the name of `Ada King <ada@mail.test>` where it has one."""
    text, name = said, ""
    if found := _NAMED.match(text):
        text, name = found["address"], found["name"].strip(' "')
    text = text.strip().removeprefix("mailto:").strip(" ;,<>")
    return text.lower(), name


def is_address(email: str) -> bool:
    """A little stricter than the API: a domain of one word, or two dots in a row, is a slip of the hand."""
    domain = email.rpartition("@")[2]
    slip = ".." in email or "." not in domain or domain[0] in ".-" or domain[-1] in ".-"
    return len(email) <= LONGEST_EMAIL and bool(_ADDRESS.fullmatch(email)) and not slip


def split_name(name: str) -> tuple[str, str]:
    """`King, Ada` and `Ada King`; of three words the last is the last name."""
    before, comma, after = name.partition(",")
    if comma and after.strip():
        return after.strip(), before.strip()
    first, _space, last = " ".join(name.split()).rpartition(" ")
    return (first, last) if first else (last, "")


def _names(said: Mapping[str, str], named: str) -> tuple[str, str]:
    first, last = said.get(FIRST, ""), said.get(LAST, "")
    whole = said.get(NAME, "") or named
    if whole and not first and not last:
        return split_name(whole)
    return first, last


def _wrong_name(name: str) -> str:
    """Why this is no name; "" where it may be one."""
    if len(name) > LONGEST_NAME:
        return "too_long"
    if name.startswith(("=", "@")) or (name[:1] in "+-" and "(" in name):
        return "formula"
    if name.upper() in _ERRORS:
        return "error"
    return "lines" if "\n" in name else ""


def _take_seat(ticket_class: Class, known: Known) -> Verdict | None:
    room = known.rooms[ticket_class.id]
    if room is not None and room <= 0:
        return Verdict.CLASS_FULL
    if known.room is not None and known.room <= 0:
        return Verdict.EVENT_FULL
    if room is not None:
        known.rooms[ticket_class.id] = room - 1
    if known.room is not None:
        known.room -= 1
    return None


def again(checked: Checked, statuses: Mapping[str, str], status: str) -> Checked:
    """As `check` said, unless the address has a ticket by now."""
    had = statuses.get(checked.email, "")
    if checked.goes and (had in HOLDS or had == status):
        return replace(checked, verdict=Verdict.HAS_TICKET, detail=had)
    return checked
