"""What a guest list is filtered by, and its columns: read from the address, written back into every link. Pure."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Protocol
from urllib.parse import urlencode

from organizer.attendees import columns
from organizer.attendees.columns import APPROVALS, EVENT
from organizer.kit.text import clean

SORTS = {"": ("-registered_at", "-id"), "name": ("sort_name", "id"), "checked_in": ("-checked_in_at", "-id")}
LONGEST_SEARCH = 100
MOST_CLASSES = 100
MOST_COLUMNS = 50


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
    event: uuid.UUID | None = None
    """Of approvals, which are of all events; another list is of one by its path."""
    columns: tuple[str, ...] = ()
    """() is the usual ones of the list."""

    @classmethod
    def read(cls, parameters: Parameters, name: str = EVENT) -> "Filters":
        """Of the list of this name. Whatever it does not understand is left out: an address that somebody typed shows
        a list, not an error.
        """
        sort, waits = parameters.get("sort") or "", name == APPROVALS
        event = _id(parameters.get("event") or "") if waits else None
        classes = parameters.getlist("class")[:MOST_CLASSES] if event or not waits else []
        return cls(
            q=clean(parameters.get("q") or "").strip()[:LONGEST_SEARCH],
            status="" if waits else clean(parameters.get("status") or "")[:60],
            event=event,
            classes=tuple(dict.fromkeys(filter(None, map(_id, classes)))),
            since=_day(parameters.get("since")),
            until=_day(parameters.get("until")),
            odd=parameters.get("odd") == "1",
            # all guests have one order only: no index holds another
            sort=sort if sort in SORTS and name == EVENT else "",
            columns=columns.chosen(parameters.getlist("columns")[:MOST_COLUMNS], name),
        )

    @property
    def order(self) -> tuple[str, ...]:
        return SORTS[self.sort]

    @property
    def narrowed(self) -> bool:
        """Whether there is anything to clear."""
        return replace(self, sort="", columns=(), event=None) != Filters()

    @property
    def plain(self) -> bool:
        """The list as everybody finds it."""
        return replace(self, event=None) == Filters()

    @property
    def rows(self) -> "Filters":
        """What says which rows there are, and in which order."""
        return replace(self, columns=())

    @property
    def cleared(self) -> str:
        """Everybody again, in the order and the columns that were chosen."""
        return Filters(sort=self.sort, columns=self.columns, event=self.event).address()

    def pairs(self) -> list[tuple[str, str]]:
        said: Mapping[str, Any] = {
            "event": self.event or "",
            "q": self.q,
            "status": self.status,
            "class": self.classes,
            "since": self.since,
            "until": self.until,
            "odd": "1" if self.odd else "",
            "sort": self.sort,
            "columns": self.columns,
        }
        return [
            (name, str(value))
            for name, values in said.items()
            for value in (values if isinstance(values, tuple) else (values,))
            if value
        ]

    def address(self, **changes: Any) -> str:
        """The query string of this list with `changes`; the page begins anew.

        It always says something: an address that does not opens the person's own view of the list.
        """
        changed = replace(self, **changes)
        return "?" + urlencode(changed.pairs() + ([("status", "")] if changed.plain else []))

    def opening(self, **changes: Any) -> str:
        """As `address`, but where nothing is asked for the person's own view may open."""
        pairs = replace(self, **changes).pairs()
        return "?" + urlencode(pairs) if pairs else ""


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
