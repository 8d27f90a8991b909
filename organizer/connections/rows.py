"""A connection as Settings and Overview show it: each question of the screen is a field or a property."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.connections import queries
from organizer.connections.models import Connection, Health
from organizer.connections.rules import Budget

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise  # not installed where nothing is tested

# how long the page waits before it asks again; the last one repeats
_WAITS = (0.3, 0.6, 1, 2, 5)

_LEVELS = {Health.WORKING: "ok", Health.CHECKING: "mute", Health.UNREACHABLE: "warn", Health.KEY_REFUSED: "stop"}

# what a key should carry, and what each scope is for
SCOPES: "tuple[tuple[str, StrOrPromise], ...]" = (
    ("events:read", _("See events")),
    ("events:write", _("Create and change events")),
    ("ticket_classes:read", _("See ticket classes")),
    ("ticket_classes:write", _("Create and change ticket classes")),
    ("attendees:read", _("See guests")),
    ("attendees:write", _("Approve, reject and check in guests")),
)


@dataclass(frozen=True)
class ScopeRow:
    name: str
    purpose: "StrOrPromise"
    state: str  # granted, denied, unknown


@dataclass(frozen=True)
class ConnectionRow:
    connection: Connection
    budget: Budget
    scopes: Sequence[ScopeRow]
    read_at: datetime | None

    @property
    def is_checking(self) -> bool:
        return self.connection.health == Health.CHECKING

    @property
    def level(self) -> str:
        """Which of the four meanings the state has."""
        if self.connection.sees_other_events:
            return "warn"
        return _LEVELS[Health(self.connection.health)]

    @property
    def key(self) -> str:
        return f"{self.connection.key_prefix}…{self.connection.key_last4}"

    @property
    def lacks(self) -> bool:
        return any(scope.state == "denied" for scope in self.scopes)


def wait_before(tries: int) -> float:
    return _WAITS[min(tries, len(_WAITS) - 1)]


def known(organization: Organization) -> list[Any]:
    """All connections but the suppliers', removed ones too, each with when something was last read over it."""
    # the sweeps are of a room above this one, so they are reached from here by name only
    mine = queries.not_suppliers(organization).annotate(read_at=Max("sweeps__finished_at"))
    return list(mine.order_by("service"))


def rows(known: Sequence[Any]) -> list[ConnectionRow]:
    return [_row(connection, connection.read_at) for connection in known if connection.live]


def row(connection: Connection) -> ConnectionRow:
    return _row(connection, None)


def _row(connection: Connection, read_at: datetime | None) -> ConnectionRow:
    return ConnectionRow(
        connection=connection,
        budget=queries.budget(connection),
        scopes=[ScopeRow(name, purpose, connection.scopes.get(name, "unknown")) for name, purpose in SCOPES],
        read_at=read_at,
    )
