"""What the list of deliveries is filtered by: read from the address, written back into every link. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import MAXYEAR, UTC, datetime, timedelta, tzinfo
from typing import Any, Protocol
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from organizer.kit.text import clean
from organizer.webhooks import columns, rules
from organizer.webhooks.models import Outcome, Proof

RANGES: Mapping[str, tuple[timedelta, Promise]] = {
    "1h": (timedelta(hours=1), _("Last hour")),
    "24h": (timedelta(hours=24), _("Last 24 hours")),
    "7d": (timedelta(days=7), _("Last 7 days")),
    "30d": (timedelta(days=30), _("Last 30 days")),
}
USUAL, LONGEST_RANGE = "24h", "30d"
LONGEST_SEARCH, LONGEST_EVENT = 255, 100
MOST_COLUMNS = 50
LATE = timedelta(minutes=2)


class Parameters(Protocol):
    """What we use of Django's QueryDict."""

    def get(self, key: str, /) -> str | None: ...
    def getlist(self, key: str, /) -> list[str]: ...


@dataclass(frozen=True)
class Filters:
    q: str = ""
    range: str = ""
    """"" is the usual one; a search without a range looks at all there is."""
    since: datetime | None = None
    until: datetime | None = None
    outcome: str = ""
    vendor: str = ""
    """Its key."""
    event: str = ""
    auth: str = ""
    repeated: bool = False
    odd: bool = False
    late: bool = False
    """Waits longer than it should."""
    paused: bool = False
    """The list does not ask for news. It says nothing about which rows there are."""
    columns: tuple[str, ...] = ()
    """() is the usual ones."""

    @classmethod
    def read(cls, parameters: Parameters, zone: tzinfo = UTC) -> "Filters":
        """Whatever it does not understand is left out: an address that somebody typed shows a list, not an error.

        `zone` is whose clock a time without a zone is on.
        """
        since, until = moment(parameters.get("since"), zone), moment(parameters.get("until"), zone)
        if since and until and until < since:
            since, until = until, since
        named, vendor = parameters.get("range") or "", parameters.get("vendor") or ""
        outcome, auth = parameters.get("outcome") or "", parameters.get("auth") or ""
        late = parameters.get("late") == "1"
        return cls(
            q=_text(parameters, "q", LONGEST_SEARCH),
            range=named if named in RANGES and not (since or until) else "",
            since=since,
            until=until,
            outcome=Outcome.WAITING.value if late else outcome if outcome in Outcome.values else "",
            vendor=vendor if rules.KEY.fullmatch(vendor) else "",
            event=_text(parameters, "event", LONGEST_EVENT),
            auth=auth if auth in Proof.values else "",
            repeated=parameters.get("repeated") == "1",
            odd=parameters.get("odd") == "1",
            late=late,
            paused=parameters.get("paused") == "1",
            columns=columns.chosen(parameters.getlist("columns")[:MOST_COLUMNS]),
        )

    @property
    def shown_range(self) -> str:
        """The name of the range that holds; empty where there is another one, or none."""
        return "" if self.since or self.until else self.range or ("" if self.q else USUAL)

    @property
    def range_words(self) -> str:
        return str(RANGES[self.shown_range][1]) if self.shown_range else ""

    def span(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """From when (included) until when (not included)."""
        if self.shown_range:
            return now - RANGES[self.shown_range][0], None
        return self.since, self.until

    @property
    def narrowed(self) -> bool:
        return replace(self.rows, range="") != Filters()

    @property
    def plain(self) -> bool:
        """The list as everybody finds it."""
        return replace(self, paused=False) == Filters()

    @property
    def rows(self) -> "Filters":
        """What says which rows there are."""
        return replace(self, paused=False, columns=())

    @property
    def kept(self) -> "Filters":
        """What a saved view or a file of it is: its rows and columns."""
        return replace(self, paused=False)

    @property
    def cleared(self) -> str:
        return Filters(paused=self.paused, columns=self.columns).address()

    def pairs(self) -> list[tuple[str, str]]:
        flags = {name: "1" if getattr(self, name) else "" for name in ("repeated", "odd", "late", "paused")}
        said = {
            "q": self.q,
            "range": self.range,
            "since": _written(self.since),
            "until": _written(self.until),
            "outcome": "" if self.late else self.outcome,
            "vendor": self.vendor,
            "event": self.event,
            "auth": self.auth,
        }
        pairs = [(name, value) for name, value in {**said, **flags}.items() if value]
        return [*pairs, *(("columns", one) for one in self.columns)]

    def address(self, **changes: Any) -> str:
        """The query string of this list with `changes`; the page begins anew.

        Never empty: an address that says nothing opens the person's own view of the list.
        """
        if changes.keys() & {"since", "until"}:
            changes["range"] = ""
        elif "range" in changes:
            changes |= {"since": None, "until": None}
        if "outcome" in changes:
            changes["late"] = False
        changed = replace(self, **changes)
        return "?" + urlencode(changed.pairs() or [("range", USUAL)])

    def without(self, name: str) -> str:
        if name == "range":
            return self.address(range="")
        return self.address(**{name: "" if isinstance(getattr(self, name), str) else False})


def _text(parameters: Parameters, name: str, longest: int) -> str:
    return clean(parameters.get(name) or "").strip()[:longest]


def moment(text: str | None, zone: tzinfo) -> datetime | None:
    """None for what is no time, and for times that some zone pushes out of the calendar."""
    try:
        at = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    if at is None or not 1 < at.year < MAXYEAR:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)


def _written(at: datetime | None) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else ""
