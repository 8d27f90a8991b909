"""What a guest list is filtered by: read from the address, written back into every link of the page. Pure."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Protocol
from urllib.parse import urlencode

from organizer.kit.text import clean

SORTS = {"": ("-registered_at", "-id"), "name": ("sort_name", "id"), "checked_in": ("-checked_in_at", "-id")}
LONGEST_SEARCH = 100
MOST_CLASSES = 100


class Parameters(Protocol):
    """What we use of Django's QueryDict."""

    def get(self, key: str, /) -> str | None: ...
    def getlist(self, key: str, /) -> list[str]: ...


@dataclass(frozen=True)
class Filters:
    q: str = ""
    status: str = ""
    classes: tuple[uuid.UUID, ...] = ()
    since: date | None = None
    until: date | None = None
    odd: bool = False
    sort: str = ""

    @classmethod
    def read(cls, parameters: Parameters) -> "Filters":
        """Whatever is not understood is left out: an address that somebody typed shows a list, not an error."""
        sort = parameters.get("sort") or ""
        return cls(
            q=clean(parameters.get("q") or "").strip()[:LONGEST_SEARCH],
            status=clean(parameters.get("status") or "")[:60],
            classes=tuple(dict.fromkeys(filter(None, map(_id, parameters.getlist("class")[:MOST_CLASSES])))),
            since=_day(parameters.get("since")),
            until=_day(parameters.get("until")),
            odd=parameters.get("odd") == "1",
            sort=sort if sort in SORTS else "",
        )

    @property
    def order(self) -> tuple[str, ...]:
        return SORTS[self.sort]

    @property
    def narrowed(self) -> bool:
        """Whether there is anything to clear."""
        return replace(self, sort="") != Filters()

    def pairs(self) -> list[tuple[str, str]]:
        said: Mapping[str, Any] = {
            "q": self.q,
            "status": self.status,
            "class": self.classes,
            "since": self.since,
            "until": self.until,
            "odd": "1" if self.odd else "",
            "sort": self.sort,
        }
        return [
            (name, str(value))
            for name, values in said.items()
            for value in (values if isinstance(values, tuple) else (values,))
            if value
        ]

    def address(self, **changes: Any) -> str:
        """The query string of this list with `changes`; the page begins anew."""
        return "?" + urlencode(replace(self, **changes).pairs())


def _id(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def _day(text: str | None) -> date | None:
    """None for what is no day, and for days that some time zone's midnight pushes out of the calendar."""
    try:
        day = date.fromisoformat(text) if text else None
    except ValueError:
        return None
    return day if day and 1 < day.year < date.max.year else None
