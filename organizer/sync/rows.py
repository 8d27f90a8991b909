"""The outbox as Settings shows it: each question of the screen is a field or a property."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.connections.models import Connection
from organizer.kit.paging import KeysetPage, keyset_page
from organizer.sync import forms, queries, registry
from organizer.sync.models import FAILED, OPEN, Command, State

TABS = ("waiting", "held", "refused", "parked", "done", "aside")
MOST_COUNTED = 1_000
OTHERS = 10


@dataclass(frozen=True)
class Tab:
    name: str
    count: int
    current: bool

    @property
    def is_more(self) -> bool:
        """A long list is not counted to its end for a figure on a tab."""
        return self.count > MOST_COUNTED


@dataclass(frozen=True)
class CommandRow:
    command: Command
    held: str = ""
    """Why it is not sent until somebody mends something; "" where nothing holds it."""
    is_behind: bool = False

    @property
    def what(self) -> str:
        words = registry.kind(self.command.kind).words
        return words[:1].upper() + words[1:]

    @property
    def target_url(self) -> str:
        """The page of what it is about."""
        shown_at = registry.noun(self.command.noun).shown_at
        if shown_at is None or (registry.kind(self.command.kind).makes and self.is_aside):
            return ""
        name, argument = shown_at
        return reverse(name, kwargs={"slug": self.command.organization.slug, argument: self.command.target_id})

    @property
    def is_open(self) -> bool:
        return self.command.state in OPEN

    @property
    def is_aside(self) -> bool:
        return self.command.state == State.CANCELLED or (self.command.state in FAILED and not self.is_unseen)

    @property
    def is_unseen(self) -> bool:
        return self.command.state in FAILED and self.command.seen_at is None

    @property
    def was_sent_again(self) -> bool:
        """A person let another command take its place, after it had come to nothing."""
        return self.command.state == State.CANCELLED and self.command.seen_at is not None

    @property
    def why(self) -> str:
        """Under the row: the reason of whatever state it is in."""
        if self.held:
            return self.held
        if self.command.state == State.WAITING and self.is_behind and not self.command.attempts:
            return _("An earlier change goes first.")
        return self.command.reason

    @property
    def next_try(self) -> datetime | None:
        return self.command.next_at if self.command.state == State.WAITING and not self.held else None

    @property
    def may_send_again(self) -> bool:
        return self.command.state in FAILED

    @property
    def may_say_done(self) -> bool:
        return self.command.state == State.PARKED

    @property
    def may_edit(self) -> bool:
        return self.may_send_again and forms.may_edit(self.command)

    @property
    def may_take_back(self) -> bool:
        """Only a wish can be taken back; a check-in is a fact, and stays to be sent."""
        unsent = self.command.state == State.WAITING and self.command.first_at is None
        return unsent and registry.kind(self.command.kind).is_decision


@dataclass(frozen=True)
class Box:
    tabs: Sequence[Tab]
    rows: Sequence[CommandRow]
    page: KeysetPage[Command]
    tab: str


def box(organization: Organization, tab: str, cursor: str = "") -> Box:
    """One page of the outbox, newest first. Without a `tab`: the first that somebody should look at."""
    connections = list(Connection.objects.filter(organization=organization))
    lists = {name: _list(organization, name, connections) for name in TABS}
    counts = {name: rows[: MOST_COUNTED + 1].count() for name, rows in lists.items()}
    if tab not in lists:
        tab = next((name for name in ("held", "refused", "parked") if counts[name]), "waiting")
    shown = lists[tab].annotate(is_behind=queries.is_behind()).select_related("organization")
    found = keyset_page(shown.defer("body", "answer"), order=("-seq",), cursor=cursor, filters=tab)
    return Box(
        tabs=[Tab(name, counts[name], name == tab) for name in TABS],
        rows=_rows(found.rows, connections),
        page=found,
        tab=tab,
    )


def _rows(commands: Iterable[Any], connections: Iterable[Connection]) -> list[CommandRow]:
    by_id = {connection.pk: connection for connection in connections}
    return [
        CommandRow(command, _held(command, by_id[command.connection_id]), getattr(command, "is_behind", False))
        for command in commands
    ]


def _held(command: Command, connection: Connection) -> str:
    return queries.hold(connection, command.scope) if command.state == State.WAITING else ""


def _list(organization: Organization, tab: str, connections: Iterable[Connection]) -> QuerySet[Command]:
    held = queries.is_held(connections)
    which = {
        "waiting": Q(state__in=OPEN) & ~(Q(state=State.WAITING) & held),
        "held": Q(state=State.WAITING) & held,
        "refused": Q(state=State.REFUSED, seen_at=None),
        "parked": Q(state=State.PARKED, seen_at=None),
        "done": Q(state=State.DONE),
        "aside": Q(state=State.CANCELLED) | Q(state__in=FAILED, seen_at__isnull=False),
    }
    return Command.objects.filter(which[tab], organization=organization)


def find(organization: Organization, seq: int) -> CommandRow | None:
    """Another organization's command does not exist."""
    mine = Command.objects.filter(organization=organization, pk=seq).annotate(is_behind=queries.is_behind())
    command = mine.select_related("organization", "connection", "batch").first()
    if command is None:
        return None
    return CommandRow(command, _held(command, command.connection), command.is_behind)


def others(command: Command) -> list[CommandRow]:
    """What else was asked for about the same row, newest first."""
    about = Command.objects.filter(noun=command.noun, target_id=command.target_id).exclude(pk=command.pk)
    found = about.select_related("organization", "connection").defer("body", "answer").order_by("-seq")[:OTHERS]
    return [CommandRow(one, _held(one, one.connection)) for one in found]
