"""Taking answers of the API into mirrored rows: in bulk, only what changed, never over something newer."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.utils import timezone

from organizer.connections.models import Connection
from organizer.sync.models import Mirrored
from organizer.sync.registry import Item, Noun

log = logging.getLogger(__name__)

LONGEST_ID = 200
_OWN = {"id", "organization", "connection", "remote_id", "written_at"}  # never changed by a page
_BAD_ROW = (DataError, IntegrityError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class Batch:
    connection: Connection
    scope: str
    items: Sequence[Item]
    generation: int
    requested_at: datetime


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


def store(noun: Noun, batch: Batch) -> Stored:
    """Call it in the transaction that holds the list's `Sweep` row. One bad row never loses its page."""
    items = {item.id: item for item in batch.items if len(item.id) <= LONGEST_ID}
    too_long = [f"{item.id[:40]}…: the id is too long" for item in batch.items if len(item.id) > LONGEST_ID]
    try:
        with transaction.atomic():
            stored = _store(noun, batch, items)
    except _BAD_ROW:
        stored = _store_singly(noun, batch, items)
    stored.skipped += too_long
    return stored


def _store_singly(noun: Noun, batch: Batch, items: dict[str, Item]) -> Stored:
    stored = Stored()
    for remote_id, item in items.items():
        try:
            with transaction.atomic():
                stored.add(_store(noun, batch, {remote_id: item}))
        except _BAD_ROW as error:
            log.warning("%s %s could not be stored: %s", noun.name, remote_id, type(error).__name__)
            stored.skipped.append(f"{remote_id}: could not be stored ({type(error).__name__})")
    return stored


def _store(noun: Noun, batch: Batch, items: dict[str, Item]) -> Stored:
    known = _locked(noun, batch.connection, items)
    links = noun.links(batch.connection, batch.scope, items.values())
    write = _Write()
    for remote_id, item in items.items():
        row = known.get(remote_id)
        if row and row.written_at and batch.requested_at <= row.written_at:
            write.stale.append(row.pk)  # asked before our own write was answered: it was seen, and that is all
            continue
        before = noun.tally(row) if row else None
        values = {"payload": item.payload, "doubts": list(item.doubts), "needs_attention": bool(item.doubts)}
        values["gone_at"] = None
        values |= links(item.payload) | vars(noun.effective(item.payload))
        row = _take(write, row, values) if row else _make(write, noun, batch, remote_id, values)
        write.move(before, noun.tally(row))
    new = len(items) - sum(row.generation == batch.generation for row in known.values())
    write.save(noun, batch)
    return Stored(seen=len(items), new=new, changed=len(write.made) + len(write.changed))


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

    def save(self, noun: Noun, batch: Batch) -> None:
        rows = noun.model._default_manager
        for row in (*self.made, *self.changed):
            row.generation, row.read_at = batch.generation, batch.requested_at
        rows.bulk_create(self.made)
        if self.changed:
            # an upsert by id: many times faster than `bulk_update`, which says each value in a CASE of its own
            fields = [f.name for f in noun.model._meta.concrete_fields if f.name not in _OWN]
            rows.bulk_create(self.changed, update_conflicts=True, unique_fields=["id"], update_fields=fields)
        rows.filter(pk__in=self.same).update(generation=batch.generation, read_at=batch.requested_at)
        if self.stale:
            rows.filter(pk__in=self.stale).update(generation=batch.generation)
        noun.count(Counter({figure: delta for figure, delta in self.deltas.items() if delta}))


def _locked(noun: Noun, connection: Connection, remote_ids: Collection[str]) -> dict[str, Any]:
    rows = noun.model._default_manager.filter(connection=connection, remote_id__in=list(remote_ids))
    return {str(row.remote_id): row for row in rows.select_for_update().order_by("pk")}


def _make(write: _Write, noun: Noun, batch: Batch, remote_id: str, values: dict[str, Any]) -> Mirrored:
    organization_id = batch.connection.organization_id
    row = noun.model(connection=batch.connection, organization_id=organization_id, remote_id=remote_id, **values)
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
