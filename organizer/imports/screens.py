"""What the import's pages ask: rows, tabs and sums as people read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from organizer.events.models import TicketClass
from organizer.imports import rules, wording
from organizer.imports.models import Import
from organizer.imports.rules import Checked, Verdict

GOES = "goes"
_WORTH_A_LOOK = (Verdict.UPGRADE, Verdict.ANEW)


@dataclass(frozen=True)
class Tab:
    key: str
    label: str
    count: int
    current: bool


@dataclass(frozen=True)
class Sums:
    rows: int
    goes: int
    refused: int


@dataclass(frozen=True)
class RowShown:
    one: Checked
    classes: Mapping[str, str]

    @property
    def name(self) -> str:
        return " ".join(f"{self.one.first_name} {self.one.last_name}".split())

    @property
    def why(self) -> str:
        return wording.why(self.one)

    @property
    def word(self) -> str:
        return str(wording.VERDICTS[self.one.verdict])

    @property
    def notable(self) -> bool:
        return self.one.verdict in _WORTH_A_LOOK

    @property
    def class_name(self) -> str:
        return self.classes.get(self.one.class_id, "")


def sums(found: Import) -> Sums:
    goes = sum(number for verdict, number in found.counts.items() if verdict in rules.GOES)
    every = sum(found.counts.values())
    return Sums(every, goes, every - goes)


def tabs(found: Import, current: str) -> Sequence[Tab]:
    """All, those that go, and each reason that occurs."""
    of = sums(found)
    reasons = [(one, found.counts.get(one, 0)) for one in Verdict if one not in rules.GOES]
    return [
        Tab("", _("All rows"), of.rows, not current),
        Tab(GOES, _("To be added") if not found.started_at else _("Added"), of.goes, current == GOES),
        *(Tab(one, str(wording.VERDICTS[one]), number, current == one) for one, number in reasons if number),
    ]


def initial(found: Import, fields: Sequence[str], classes: Sequence[TicketClass]) -> dict[str, Any]:
    """As it was chosen for this file before; else as the headings say, in the only class or the first."""
    chosen = found.choices
    named = {f"column-{number}": field for number, field in enumerate(chosen.get("fields") or fields)}
    if chosen:
        return chosen | named
    first = classes[0].remote_id if classes else ""
    return {"ticket_class": first, "status": "valid", "payment_method": "free"} | named


def is_guessed(found: Import) -> bool:
    """Whether its letters may have come out wrong: UTF-8 and its kin cannot be mistaken."""
    return not str(found.how.get("encoding", "utf")).startswith("utf") or bool(found.how.get("reread"))
