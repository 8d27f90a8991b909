"""The outbox: every write to the API is a row here first, in the transaction that shows it to the person.

What a command is sent with, and what becomes of it, is `sync.sender`'s; docs/outbox.md has the picture.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts.models import User
from organizer.kit import quick
from organizer.kit.ids import new_id
from organizer.sync import kicks, mirror, registry
from organizer.sync.models import FAILED, Batch, Command, Lane, Mirrored, State, Sweep
from organizer.sync.registry import Kind, Noun

DECISION_DUE = timedelta(seconds=10)
"""How long a decision can be undone."""
UNSENT = Q(state=State.WAITING, first_at=None)
"""Never on its way: such a command can be taken back as if it had not been."""


class CouldNotRepeat(Exception):
    """It is under way again, or done, already."""


def put(
    kind: str,
    target: Any,
    *,
    by: User | None,
    params: dict[str, Any] | None = None,
    lane: Lane = Lane.PERSON,
    now: datetime | None = None,
) -> Command:
    """Call it in the transaction that holds the target's row, locked; the row shows the outcome at once."""
    return put_many(kind, [target], by=by, params=params, lane=lane, now=now)[0]


def put_many(
    kind: str,
    targets: Sequence[Any],
    *,
    by: User | None,
    params: dict[str, Any] | None = None,
    lane: Lane = Lane.PERSON,
    batch: Batch | None = None,
    now: datetime | None = None,
) -> list[Command]:
    """The rows are of one connection, and locked in the order of their keys."""
    wanted = [(target, params or {}) for target in targets]
    return put_each(kind, wanted, by=by, lane=lane, batch=batch, now=now)


def put_each(
    kind: str,
    wanted: Sequence[tuple[Any, dict[str, Any]]],
    *,
    by: User | None,
    lane: Lane = Lane.PERSON,
    batch: Batch | None = None,
    now: datetime | None = None,
) -> list[Command]:
    """As `put_many`, where each row has its own params."""
    if not wanted:
        return []
    of, now, targets = registry.kind(kind), now or timezone.now(), [target for target, _params in wanted]
    if of.is_decision:
        _replace_waiting(of, targets, now)
    due_at = (batch.due_at if batch else now + DECISION_DUE) if of.is_decision else now
    first = wanted[0][1]
    shared = _shared(of, by=by, params=first, lane=lane, batch=batch, due_at=due_at, now=now)
    commands = Command.objects.bulk_create(
        _about(target, shared | ({} if own is first else _chosen(of, own, now)) | _behind(of, target))
        for target, own in wanted
    )
    mirror.refresh(registry.noun(of.noun), targets)
    kicks.send(targets[0].connection_id, after=(due_at - now).total_seconds())
    return commands


def make(
    kind: str,
    wanted: Sequence[tuple[Any, dict[str, Any]]],
    *,
    by: User | None,
    lane: Lane = Lane.PERSON,
    batch: Batch | None = None,
    now: datetime | None = None,
) -> list[Command]:
    """Rows of one connection, not saved yet, each with the params of the command that makes it. In a transaction.

    They need their foreign keys only: the other columns are what the command says.
    """
    if not wanted:
        return []
    of, now = registry.kind(kind), now or timezone.now()
    due_at = batch.due_at if batch else now
    drafts = []
    for row, params in wanted:
        shared = _shared(of, by=by, params=params, lane=lane, batch=batch, due_at=due_at, now=now)
        drafts.append(_about(row, shared | _behind(of, row), name=of.title(params)))
    commands = Command.objects.bulk_create(drafts)
    mirror.begin(registry.noun(of.noun), [(row, command) for (row, _), command in zip(wanted, commands, strict=True)])
    kicks.send(wanted[0][0].connection_id, after=(due_at - now).total_seconds())
    return commands


def draft(
    kind: str, target: Any, *, by: User, params: dict[str, Any], lane: Lane = Lane.PERSON, now: datetime
) -> Command:
    """What `put` would write, for who writes it with all else at once; `mirror.laid_over` says what the row becomes."""
    of = registry.kind(kind)
    return _about(target, _shared(of, by=by, params=params, lane=lane, batch=None, due_at=now, now=now))


def refuse_at_once(kind: str, rows: Sequence[tuple[Any, str]], *, by: User | None, batch: Batch) -> None:
    """Of these the API is not asked: the batch says why, and the rows themselves are as they were."""
    of, now = registry.kind(kind), timezone.now()
    Command.objects.bulk_create(
        Command(
            organization_id=row.organization_id,
            connection_id=row.connection_id,
            batch=batch,
            kind=of.name,
            noun=of.noun,
            target_id=row.pk,
            target_name=str(row)[:200],
            scope=of.scope,
            state=State.REFUSED,
            reason=reason,
            ended_at=now,
            seen_at=now,
            by=by,
            by_name=str(by) if by else "system",
        )
        for row, reason in rows
    )


def take_back(commands: Iterable[Command], *, now: datetime | None = None) -> list[Command]:
    """Those that were not on their way yet; what was claimed meanwhile is not among them."""
    now, taken = now or timezone.now(), []
    with transaction.atomic():
        for command in commands:
            row = _locked_target(command)
            mine = Command.objects.filter(UNSENT, pk=command.pk)
            if mine.update(state=State.CANCELLED, ended_at=now):
                taken.append(command)
                settle(command.kind, [row] if row is not None else [])
    return taken


def mark_seen(commands: Iterable[Command], *, now: datetime | None = None) -> None:
    """The person has read why; the row says no more of it. What was never made goes."""
    with transaction.atomic():
        for command in commands:
            row = _locked_target(command)
            about = Command.objects.filter(noun=command.noun, target_id=command.target_id, state__in=FAILED)
            about.filter(seen_at=None).update(seen_at=now or timezone.now())
            settle(command.kind, [row] if row is not None else [])


def settle(kind: str, rows: Sequence[Any]) -> None:
    """Their commands of this kind came to nothing, and nobody need hear of it: what they should have made goes."""
    of = registry.kind(kind)
    noun = registry.noun(of.noun)
    unmade = [row for row in rows if of.makes and row.remote_id is None and not noun.keeps_failed]
    for row in unmade:
        _forget(row, noun)
    mirror.refresh(noun, [row for row in rows if row not in unmade])


def refuse_children(command: Command, because: str, now: datetime) -> None:
    """Of a row that was not made: what hangs on it cannot be made either."""
    waiting = Command.objects.filter(UNSENT, parent_noun=command.noun, parent_id=command.target_id)
    for child in waiting:
        row = _locked_target(child)
        Command.objects.filter(UNSENT, pk=child.pk).update(state=State.REFUSED, ended_at=now, reason=because)
        if row is not None:
            mirror.refresh(registry.noun(child.noun), [row])
        refuse_children(child, because, now)


def _forget(row: Any, noun: Noun) -> None:
    """With what hangs on it, none of which the API knows."""
    mirror.uncount(noun, row)
    children = Command.objects.filter(parent_noun=noun.name, parent_id=row.pk)
    children.filter(state__in=FAILED, seen_at=None).update(seen_at=timezone.now())
    row.delete()


def send_again(command: Command, *, by: User | None, params: dict[str, Any] | None = None) -> Command:
    """A refused or parked one, as a new command with a key of its own: the person knows what may have been done.

    `params` is what the person changed. Raises `CouldNotRepeat`.
    """
    with transaction.atomic():
        row = _locked_target(command)
        now = timezone.now()
        failed = Command.objects.filter(pk=command.pk, state__in=FAILED)
        # the new one takes its place in the batch too, so that the bar counts each row once
        if row is None or not failed.update(state=State.CANCELLED, ended_at=now, seen_at=now, batch=None):
            raise CouldNotRepeat
        of, chosen = registry.kind(command.kind), command.params | (params or {})
        again = put_many(of.name, [row], by=by, params=chosen, lane=Lane(command.lane), now=now)[0]
        Command.objects.filter(pk=again.pk).update(due_at=now, next_at=now, batch=command.batch)
        if command.batch_id:
            Batch.objects.filter(pk=command.batch_id).update(finished_at=None)
        kicks.send(command.connection_id)
    return again


def it_was_done(command: Command) -> None:
    """A person knows that a parked one had its effect. Raises `CouldNotRepeat`."""
    with transaction.atomic():
        row = _locked_target(command)
        now = timezone.now()
        parked = Command.objects.filter(pk=command.pk, state=State.PARKED)
        if not parked.update(state=State.DONE, ended_at=now, seen_at=now, reason=_("A person said that it was done.")):
            raise CouldNotRepeat
        if row is not None:
            read_again(command, row)
            settle(command.kind, [row])  # what was made comes with its list


def fresh_key() -> UUID:
    """For what is known not to have been done: under the old key its first answer would come back."""
    return new_id()


def read_again(command: Command, row: Any) -> None:
    """What the API says of this row may have changed unseen: its list is read soon."""
    kind = registry.kind(command.kind)
    lists = Sweep.objects.filter(connection=command.connection_id, noun=command.noun, scope=kind.list_of(row))
    lists.filter(Q(next_at=None) | Q(next_at__gt=timezone.now())).update(next_at=timezone.now())


def _shared(
    of: Kind,
    *,
    by: User | None,
    params: dict[str, Any],
    lane: Lane,
    batch: Batch | None,
    due_at: datetime,
    now: datetime,
) -> dict[str, Any]:
    return {
        "batch_id": batch.pk if batch else None,
        "kind": of.name,
        "noun": of.noun,
        "scope": of.scope,
        "lane": lane,
        "due_at": due_at,
        "next_at": due_at,
        "by_id": by.pk if by else None,
        "by_name": str(by) if by else "system",
        "created_at": now,
    } | _chosen(of, params, now)


def _chosen(of: Kind, params: dict[str, Any], now: datetime) -> dict[str, Any]:
    """What a person chose, and what it comes to."""
    return {"params": params, "fields": of.fields(params, now), "mails": of.mails(params)}


def _behind(of: Kind, target: Any) -> dict[str, Any]:
    parent = of.parent(target)
    return {"parent_noun": parent[0], "parent_id": parent[1]} if parent else {}


def _about(target: Any, shared: dict[str, Any], name: str = "") -> Command:
    return quick.new(
        Command,
        organization_id=target.organization_id,
        connection_id=target.connection_id,
        target_id=target.pk,
        target_name=(name or str(target))[:200],
        **shared,
    )


def _replace_waiting(kind: Kind, targets: Sequence[Mirrored], now: datetime) -> None:
    """The next decision about a row takes the place of one that waits."""
    waiting = Command.objects.filter(UNSENT, noun=kind.noun, kind__in=registry.decisions())
    waiting = waiting.filter(target_id__in=[target.pk for target in targets])
    waiting.update(state=State.CANCELLED, ended_at=now, reason=_("Another decision took its place."))


def _locked_target(command: Command) -> Any:
    rows = registry.noun(command.noun).model._default_manager
    return rows.select_for_update().filter(pk=command.target_id).first()
