"""Taking answers of the API into mirrored rows: in bulk, only what changed, never over something newer."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from organizer.connections.models import Connection
from organizer.sync import rules
from organizer.sync.models import FAILED, OPEN, Command, Mirrored
from organizer.sync.registry import Item, Noun
from organizer.sync.rules import Fact

log = logging.getLogger(__name__)

LONGEST_ID = 200
ON_THE_WAY = timedelta(minutes=10)
_OWN = {"id", "organization", "connection", "remote_id"}  # never changed by an answer
ATTENTION = ("refused", "parked", "unrecorded")
_BAD_ROW = (DataError, IntegrityError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class Read:
    """What was answered: a page of a walk, or the object of a write."""

    connection: Connection
    scope: str
    items: Sequence[Item]
    generation: int
    requested_at: datetime
    written_at: datetime | None = None  # it answers a write: then


@dataclass
class Stored:
    seen: int = 0
    new: int = 0  # not seen before by this walk
    changed: int = 0
    skipped: list[str] = field(default_factory=list)

    def add(self, other: "Stored") -> None:
        self.seen += other.seen
        self.new += other.new
        self.changed += other.changed
        self.skipped += other.skipped


def store(noun: Noun, read: Read) -> Stored:
    """Call it in a transaction. One bad row never loses its page."""
    items = {item.id: item for item in read.items if len(item.id) <= LONGEST_ID}
    too_long = [f"{item.id[:40]}…: the id is too long" for item in read.items if len(item.id) > LONGEST_ID]
    try:
        with transaction.atomic():
            stored = _store(noun, read, items)
    except _BAD_ROW:
        stored = _store_singly(noun, read, items)
    stored.skipped += too_long
    return stored


def _is_older(requested_at: datetime, written_at: datetime) -> bool:
    """No answer is on its way for so long: then the clock was set back after the write."""
    return timedelta(0) <= written_at - requested_at < ON_THE_WAY


def _store_singly(noun: Noun, read: Read, items: dict[str, Item]) -> Stored:
    stored = Stored()
    for remote_id, item in items.items():
        try:
            with transaction.atomic():
                stored.add(_store(noun, read, {remote_id: item}))
        except _BAD_ROW as error:
            log.warning("%s %s could not be stored: %s", noun.name, remote_id, type(error).__name__)
            stored.skipped.append(f"{remote_id}: could not be stored ({type(error).__name__})")
    return stored


def _store(noun: Noun, read: Read, items: dict[str, Item]) -> Stored:
    known = _locked(noun, read.connection, items)
    told = _told(noun, known.values())
    links = noun.links(read.connection, read.scope, items.values())
    write = _Write()
    for remote_id, item in items.items():
        row = known.get(remote_id)
        if row and row.written_at and not read.written_at and _is_older(read.requested_at, row.written_at):
            write.stale.append(row.pk)  # asked before our own write was answered: it was seen, and that is all
            continue
        before = noun.tally(row) if row else None
        values: dict[str, Any] = {"payload": item.payload, "doubts": list(item.doubts), "gone_at": None}
        if read.written_at:
            values["written_at"] = read.written_at
        values |= links(item.payload) | _effect(noun, values, told.get(row.pk) if row else None)
        row = _take(write, row, values) if row else _make(write, noun, read, remote_id, values)
        write.move(before, noun.tally(row))
    new = len(items) - sum(row.generation == read.generation for row in known.values())
    write.save(noun, read)
    return Stored(seen=len(items), new=new, changed=len(write.made) + len(write.changed))


def refresh(noun: Noun, rows: Sequence[Any]) -> None:
    """Their commands have changed: the columns follow. Call it in the transaction that holds these rows."""
    told = _told(noun, rows)
    write = _Write()
    for row in rows:
        before = noun.tally(row)
        values = {"payload": row.payload, "doubts": row.doubts, "gone_at": row.gone_at}
        _take(write, row, _effect(noun, values, told.get(row.pk)))
        write.move(before, noun.tally(row))
    write.save_rows(noun, write.changed)
    noun.count(write.moved())


def begin(noun: Noun, told: Sequence[tuple[Any, Command]]) -> None:
    """Saves rows that the API does not know yet, each as the command that makes it says. In its transaction."""
    figures: Counter[tuple[Any, ...]] = Counter()
    for row, command in told:
        values: dict[str, Any] = {"payload": {}, "doubts": [], "gone_at": None}
        for name, value in _effect(noun, values, _Told([command])).items():
            setattr(row, name, value)
        if (figure := noun.tally(row)) is not None:
            figures[figure] += 1
    noun.model._default_manager.bulk_create([row for row, _command in told])
    noun.count(figures)


def adopt(noun: Noun, row: Any, remote_id: str) -> None:
    """The API has made what the row stands for. A sweep may have been faster: then the two rows become this one."""
    rows = noun.model._default_manager
    faster = rows.select_for_update().filter(connection=row.connection_id, remote_id=remote_id).exclude(pk=row.pk)
    for other in faster:
        uncount(noun, other)
        for relation in noun.model._meta.related_objects:
            pointing = relation.related_model._default_manager.filter(**{relation.field.name: other.pk})
            pointing.update(**{relation.field.name: row.pk})
        Command.objects.filter(noun=noun.name, target_id=other.pk).update(target_id=row.pk)
        row.generation = other.generation
        other.delete()
    row.remote_id = remote_id
    row.save(update_fields=["remote_id", "generation"])


def uncount(noun: Noun, row: Any) -> None:
    """A row that goes is in no figure any more."""
    figure = noun.tally(row)
    if figure is not None:
        noun.count(Counter({figure: -1}))


def laid_over(row: Any, noun: Noun, command: Command) -> dict[str, Any]:
    """The columns that change by this command, where it is all that is said of the row: nothing is read or written.

    Only of columns that were loaded, which must be those that such a command changes.
    """
    values = {"payload": row.payload, "doubts": row.doubts, "gone_at": row.gone_at}
    effect = _effect(noun, values, _Told([command]))
    loaded = vars(row)
    return {name: value for name, value in effect.items() if name in loaded and loaded[name] != value}


@dataclass
class _Told:
    commands: list[Command] = field(default_factory=list)
    fact: Fact | None = None


def _told(noun: Noun, rows: Collection[Any]) -> dict[Any, _Told]:
    """What is laid over the rows' payloads: their open commands, and facts; and failures that nobody has seen."""
    if not rows:
        return {}
    told: dict[Any, _Told] = {}
    unseen = Q(state__in=FAILED, seen_at=None)
    about = Command.objects.filter(noun=noun.name, target_id__in=[row.pk for row in rows])
    about = about.filter(Q(state__in=OPEN) | unseen).order_by("seq")
    for command in about.defer("body", "answer", "params"):
        told.setdefault(command.target_id, _Told()).commands.append(command)
    for pk, fact in noun.facts(rows).items():
        told.setdefault(pk, _Told()).fact = fact
    return told


def _effect(noun: Noun, values: dict[str, Any], told: _Told | None) -> dict[str, Any]:
    """The columns: payload, then open commands in their order, then facts."""
    told = told or _Told()
    # what was never made is shown as it was meant, also while it is refused
    as_meant = not values["payload"] and not noun.keeps_failed
    layers = [command.fields for command in told.commands if command.state in OPEN or as_meant]
    if told.fact:
        layers.append(dict(told.fact.fields))
    note = rules.note(told.commands, values["payload"], told.fact)
    odd = bool(values["doubts"]) or values["gone_at"] is not None or note.get("state") in ATTENTION
    effective = vars(noun.effective(values["payload"], layers))
    return effective | {"outbox": note, "needs_attention": odd}


def mark_gone(noun: Noun, connection: Connection, remote_ids: Sequence[str], *, as_of: datetime) -> int:
    """Marks, never deletes; what was written after `as_of` stays. In the transaction that holds the `Sweep` row."""
    write = _Write()
    for row in _locked(noun, connection, remote_ids).values():
        if row.gone_at is None and not (row.written_at and as_of <= row.written_at):
            before = noun.tally(row)
            row.gone_at, row.needs_attention = timezone.now(), True
            write.changed.append(row)
            write.move(before, noun.tally(row))
    noun.model._default_manager.bulk_update(write.changed, ["gone_at", "needs_attention"])
    noun.count(write.deltas)
    return len(write.changed)


@dataclass
class _Write:
    """What a page comes to: rows by what happens to them, and how the kept figures move with them."""

    made: list[Mirrored] = field(default_factory=list)
    changed: list[Mirrored] = field(default_factory=list)
    same: list[Any] = field(default_factory=list)
    stale: list[Any] = field(default_factory=list)
    deltas: Counter[tuple[Any, ...]] = field(default_factory=Counter)

    def move(self, before: tuple[Any, ...] | None, after: tuple[Any, ...] | None) -> None:
        if before != after:
            if before is not None:
                self.deltas[before] -= 1
            if after is not None:
                self.deltas[after] += 1

    def save(self, noun: Noun, read: Read) -> None:
        rows = noun.model._default_manager
        for row in (*self.made, *self.changed):
            row.generation, row.read_at = read.generation, read.requested_at
        rows.bulk_create(self.made)
        self.save_rows(noun, self.changed)
        rows.filter(pk__in=self.same).update(generation=read.generation, read_at=read.requested_at)
        if self.stale:
            rows.filter(pk__in=self.stale).update(generation=read.generation)
        noun.count(self.moved())

    def save_rows(self, noun: Noun, rows: Sequence[Mirrored]) -> None:
        if rows:
            # an upsert by id: many times faster than `bulk_update`, which says each value in a CASE of its own
            fields = [f.name for f in noun.model._meta.concrete_fields if f.name not in _OWN]
            noun.model._default_manager.bulk_create(
                rows, update_conflicts=True, unique_fields=["id"], update_fields=fields
            )

    def moved(self) -> Counter[tuple[Any, ...]]:
        return Counter({figure: delta for figure, delta in self.deltas.items() if delta})


def _locked(noun: Noun, connection: Connection, remote_ids: Collection[str]) -> dict[str, Any]:
    rows = noun.model._default_manager.filter(connection=connection, remote_id__in=list(remote_ids))
    return {str(row.remote_id): row for row in rows.select_for_update().order_by("pk")}


def _make(write: _Write, noun: Noun, read: Read, remote_id: str, values: dict[str, Any]) -> Mirrored:
    organization_id = read.connection.organization_id
    row = noun.model(connection=read.connection, organization_id=organization_id, remote_id=remote_id, **values)
    write.made.append(row)
    return row


def _take(write: _Write, row: Mirrored, values: dict[str, Any]) -> Mirrored:
    differing = {name: value for name, value in values.items() if getattr(row, name) != value}
    for name, value in differing.items():
        setattr(row, name, value)
    if differing:
        write.changed.append(row)
    else:
        write.same.append(row.pk)
    return row
