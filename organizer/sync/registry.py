"""What rooms register: the nouns that are mirrored. `sync` walks their lists and knows none of them by name."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Protocol

from django.db.models import QuerySet

from organizer.connections.models import Connection
from organizer.sync.models import Mirrored
from organizer.sync.rules import Json
from organizer.upstream.event_api import EventApi


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

    def tally(self, row: Any) -> tuple[Any, ...] | None:
        """Under which figure a row is counted, None for nothing."""
        return None

    def count(self, deltas: Counter[tuple[Any, ...]]) -> None:  # noqa: B027 - most nouns keep no figures
        """Takes the changes of the figures, in the transaction of the rows that caused them."""


_nouns: dict[str, Noun] = {}


def register(noun: Noun) -> None:
    _nouns[noun.name] = noun


def nouns() -> tuple[Noun, ...]:
    """In the order of registration, which is the order of first reading: parents before children."""
    return tuple(_nouns.values())


def noun(name: str) -> Noun:
    return _nouns[name]
