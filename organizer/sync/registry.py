"""What rooms register: the nouns that are mirrored. `sync` walks their lists and knows none of them by name."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Protocol

from django.db.models import QuerySet

from organizer.connections.models import Connection
from organizer.sync.models import Mirrored
from organizer.sync.rules import Fact, Json
from organizer.upstream.errors import UpstreamError
from organizer.upstream.event_api import EventApi
from organizer.upstream.transport import Answer


class Item(Protocol):
    """One object as the API answered it."""

    @property
    def id(self) -> str: ...
    @property
    def payload(self) -> dict[str, Any]: ...
    @property
    def doubts(self) -> Sequence[str]: ...


class Page(Protocol):
    @property
    def items(self) -> Sequence[Item]: ...
    @property
    def doubts(self) -> Sequence[str]: ...
    @property
    def pages(self) -> int | None: ...
    @property
    def total(self) -> int | None: ...
    @property
    def requested_at(self) -> datetime: ...


@dataclass(frozen=True)
class Wanted:
    """A list that should be mirrored: how often, and how far its subject is from now (the nearest goes first)."""

    scope: str
    every: timedelta
    distance: timedelta = timedelta(0)


class Noun(ABC):
    """Subclass it in the room that owns the model, and register an instance in the room's `apps.py`."""

    name: ClassVar[str]
    model: ClassVar[type[Mirrored]]
    needs: ClassVar[str]
    """The API scope without which its lists cannot be read."""
    tells_keys_apart: ClassVar[bool] = False
    """Whether the first page of its list is what a key of another organization is known by."""
    statuses: ClassVar[tuple[str | None, ...]] = (None,)
    """Status filters to ask with, fullest first: where a provider refuses one the next is tried."""
    has_lists: ClassVar[bool] = False
    """Lists of other nouns hang on its rows: they are read as soon as one is made."""
    keeps_failed: ClassVar[bool] = False
    """What could not be made stays, as one of its kind that failed; else it is shown as it was meant, until seen."""
    shown_at: ClassVar[tuple[str, str] | None] = None
    """The page of one row: the name of its address, and of the argument that takes the row's key."""

    @abstractmethod
    def page(self, api: EventApi, scope: str, number: int, status: str | None) -> Page: ...

    @abstractmethod
    def read(self, api: EventApi, scope: str, remote_id: str) -> Item: ...

    @abstractmethod
    def rows(self, connection: Connection, scope: str) -> QuerySet[Any]:
        """The mirrored rows of one list."""

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Of these rows those that belong in the list: their absence means something."""
        return rows

    @abstractmethod
    def effective(self, payload: Json, commands: Iterable[Json] = ()) -> Any:
        """The room's pure rule: a dataclass whose fields are columns of the model."""

    @abstractmethod
    def wanted(self, connection: Connection, now: datetime) -> Iterable[Wanted]: ...

    def links(self, connection: Connection, scope: str, items: Collection[Item]) -> Callable[[Json], dict[str, Any]]:
        """Looks up once what the page's rows point at; the answer gives one payload's foreign keys."""
        return lambda payload: {}

    def facts(self, rows: Collection[Any]) -> dict[Any, Fact]:
        """By key of the row: what holds of it here, whatever the API says."""
        return {}

    def tally(self, row: Any) -> tuple[Any, ...] | None:
        """Under which figure a row is counted, None for nothing."""
        return None

    def count(self, deltas: Counter[tuple[Any, ...]]) -> None:  # noqa: B027 - most nouns keep no figures
        """Takes the changes of the figures, in the transaction of the rows that caused them."""

    def fold(self, connection: Connection, scope: str) -> None:  # noqa: B027 - most nouns keep no figures
        """Adds up what `count` noted since; called when a walk of the list has ended."""


@dataclass(frozen=True)
class Request:
    """What is sent: written once, then repeated byte for byte. `path` is below the connection's address."""

    method: str
    path: str
    body: dict[str, Any] | None = None


class Kind(ABC):
    """One kind of write. Subclass it in the room that owns the noun, and register an instance in its `apps.py`."""

    name: ClassVar[str]
    noun: ClassVar[str]
    scope: ClassVar[str]
    """What the API demands of the key."""
    words: ClassVar[str]
    """For "because … was refused": approving, checking in."""
    labels: ClassVar[Mapping[str, Any]] = {}
    """What a person can choose, by name of the parameter, as a form says it."""
    is_decision: ClassVar[bool] = False
    """Due in a while, to be undone until then; the next decision about the same row takes its place."""
    makes: ClassVar[bool] = False
    """Its row is not known to the API yet: `item` must give the object, whose id the row takes."""

    is_harmless_again: ClassVar[bool] = False
    """Of what it makes the API keeps one under a key of ours for good, by which `find` finds it: never parked."""

    @abstractmethod
    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        """What the row's payload will say once it is done."""

    @abstractmethod
    def request(self, row: Any, params: Json) -> Request: ...

    @abstractmethod
    def item(self, answer: Answer) -> Item | None:
        """The object in the answer; None where the answer holds none. Raises `Broken` for another shape."""

    @abstractmethod
    def read(self, api: Any, row: Any) -> Item:
        """The object as it is now: for a write whose outcome is not known. Raises `NotFound`."""

    @abstractmethod
    def list_of(self, row: Any) -> str:
        """The scope of the list that the row is in."""

    def meant(self, error: UpstreamError) -> UpstreamError:
        """What an answer says about this write, where that is more than it says about any."""
        return error

    def title(self, params: Json) -> str:
        """What a row is called that is not saved yet; "" for its own name."""
        return ""

    def verify(self, item: Any, row: Any) -> None:  # noqa: B027 - most answers say of themselves what they are
        """Raises `Broken` where the answer is about another object than `row`."""

    def idempotency_key(self, row: Any) -> str:
        """What the API wants for a key; "" for the command's own."""
        return ""

    def find(self, api: Any, row: Any) -> Item | None:
        """What was to be made, if it was: asked for by a name of ours. Of kinds that are harmless again."""
        raise NotImplementedError

    def made_already(self, api: Any, row: Any, params: Json) -> str:
        """The id of an object that the API has made by itself and that this row is; "" where it is to be made."""
        return ""

    def parent(self, row: Any) -> tuple[str, Any] | None:
        """The noun and key of the row that the API must know first."""
        return None

    def own_params(self, rows: Sequence[Any], params: dict[str, Any]) -> Sequence[dict[str, Any] | str]:
        """Of the params of one act on many rows those of each; a text says why not of this one."""
        return [params] * len(rows)

    def rows_to_make(self, batch: Any, keys: Sequence[str]) -> Sequence[tuple[Any, dict[str, Any] | str]]:
        """For a batch that makes rows: those of its targets, not saved yet, each with its params or why not."""
        raise NotImplementedError

    def refusal(self, row: Any) -> str:
        """Why it is of no use to ask the API, in words for people; "" where it is not known to be."""
        return ""

    def mails(self, params: Json) -> bool:
        return bool(params.get("notify_guest"))

    def is_reached(self, payload: Json, fields: Json) -> bool:
        return all(payload.get(name) == value for name, value in fields.items() if name == "status")


_nouns: dict[str, Noun] = {}
_kinds: dict[str, Kind] = {}


def register(*entries: Noun | Kind) -> None:
    for entry in entries:
        if isinstance(entry, Noun):
            _nouns[entry.name] = entry
        else:
            _kinds[entry.name] = entry


def kind(name: str) -> Kind:
    return _kinds[name]


def decisions() -> list[str]:
    return [kind.name for kind in _kinds.values() if kind.is_decision]


def nouns() -> tuple[Noun, ...]:
    """In the order of registration, which is the order of first reading: parents before children."""
    return tuple(_nouns.values())


def noun(name: str) -> Noun:
    return _nouns[name]
