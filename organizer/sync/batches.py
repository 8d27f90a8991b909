"""One act of a person on many rows: a command for each, made slice by slice, with one bar for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.connections.models import Connection
from organizer.sync import kicks, outbox, registry
from organizer.sync.models import FAILED, OPEN, Batch, Command, Lane, State
from organizer.sync.registry import Kind

SLICE = 200
AT_ONCE = 100
"""So many rows change within the person's own request; the worker does the rest."""
A_PERSONS = 10
"""A batch of so few goes in a person's lane."""
SHOWN_FOR = timedelta(days=1)


@dataclass(frozen=True)
class Progress:
    batch: Batch
    done: int
    failed: int
    taken_back: int

    @property
    def total(self) -> int:
        return self.batch.total

    @property
    def ended(self) -> int:
        return self.total - self.left

    @property
    def left(self) -> int:
        return 0 if self.is_over else max(self.total - self.done - self.failed - self.taken_back, 0)

    @property
    def is_over(self) -> bool:
        return self.batch.finished_at is not None or self.done + self.failed + self.taken_back >= self.total

    @property
    def is_done(self) -> bool:
        """Over, and not all of it for nothing."""
        return self.is_over and self.done > 0

    @property
    def seconds_left(self) -> int:
        """Until the first of it is sent."""
        return max(0, ceil((self.batch.due_at - timezone.now()).total_seconds()))

    @property
    def may_undo(self) -> bool:
        return not self.batch.cancelled_at and not self.is_over and timezone.now() < self.batch.due_at


def start(
    kind: str, targets: Sequence[Any], *, connection: Connection, by: User | None, params: dict[str, Any]
) -> Batch:
    """`targets` are keys of rows of one connection, or what its kind makes rows of, in an order that sorting keeps.

    A few have their commands when this returns.
    """
    now = timezone.now()
    batch = Batch.objects.create(
        organization=connection.organization,
        connection=connection,
        kind=kind,
        params=params,
        targets=sorted(str(target) for target in targets),
        total=len(targets),
        by=by,
        by_name=str(by) if by else "system",
        due_at=now + outbox.DECISION_DUE,
    )
    if batch.total <= AT_ONCE:
        expand(batch.pk)
    kicks.send(connection.pk)
    return batch


def expand(batch_id: Any) -> bool:
    """Makes the commands of the next slice, or takes one back where the batch was; answers whether more is to do."""
    with transaction.atomic():
        batch = Batch.objects.select_for_update(of=("self",)).select_related("by").filter(pk=batch_id).first()
        if batch is None or batch.finished_at:
            return False
        more = _take_back_slice(batch) if batch.cancelled_at else _expand_slice(batch)
        batch.save(update_fields=["expanded", "finished_at"])
    return more


def _expand_slice(batch: Batch) -> bool:
    """`expanded` moves in the transaction of what it counts, so that a slice is made whole, and once."""
    ids = batch.targets[batch.expanded : batch.expanded + SLICE]
    kind = registry.kind(batch.kind)
    found = kind.rows_to_make(batch, ids) if kind.makes else _locked(batch, kind, ids)
    wanted = [(row, own) for row, own in found if not isinstance(own, str)]
    refused = [(row, why) for row, why in found if isinstance(why, str)]
    lane = Lane.PERSON if batch.total <= A_PERSONS else Lane.BULK
    write = outbox.make if kind.makes else outbox.put_each
    write(batch.kind, wanted, by=batch.by, lane=lane, batch=batch)
    outbox.refuse_at_once(batch.kind, refused, by=batch.by, batch=batch)
    rows = [row for row, _own in wanted]
    audit.record_many(batch.kind.replace("attendees.", "attendee."), targets=rows, by=batch.by, after=batch.params)
    batch.expanded += len(ids)
    return batch.expanded < batch.total


def _locked(batch: Batch, kind: Kind, ids: Sequence[str]) -> list[tuple[Any, dict[str, Any] | str]]:
    """Each row with its own params, or with why it is of no use to ask."""
    rows = registry.noun(kind.noun).model._default_manager.select_for_update(of=("self",)).order_by("pk")
    mine = list(rows.filter(pk__in=ids, organization=batch.organization_id, connection=batch.connection_id))
    return [(row, kind.refusal(row) or own) for row, own in zip(mine, kind.own_params(mine, batch.params), strict=True)]


def _take_back_slice(batch: Batch) -> bool:
    waiting = list(Command.objects.filter(outbox.UNSENT, batch=batch).order_by("target_id")[:SLICE])
    kind = registry.kind(batch.kind)
    rows = registry.noun(kind.noun).model._default_manager.select_for_update().order_by("pk")
    locked = list(rows.filter(pk__in=[command.target_id for command in waiting]))
    still = Command.objects.filter(outbox.UNSENT, pk__in=[command.pk for command in waiting])
    still.update(state=State.CANCELLED, ended_at=timezone.now())
    outbox.settle(batch.kind, locked)
    if len(waiting) < SLICE:
        batch.finished_at = timezone.now()
        return False
    return True


def cancel(batch: Batch) -> None:
    """What is done or on its way stays; what waits is taken back. Before it is due that is all of it: an undo."""
    Batch.objects.filter(pk=batch.pk, cancelled_at=None, finished_at=None).update(cancelled_at=timezone.now())
    while batch.total <= AT_ONCE and expand(batch.pk):
        pass
    kicks.send(batch.connection_id)


def retry(batch: Batch, *, by: User | None) -> int:
    """All that the API refused, again, where it is still of use. Answers how many.

    What is parked may have mailed somebody: a person looks at each.
    """
    refused = Command.objects.filter(batch=batch, state=State.REFUSED).exclude(status=None)
    targets = list(refused.order_by("target_id").values_list("target_id", flat=True))
    return sum(_retry_slice(batch, targets[at : at + SLICE], by) for at in range(0, len(targets), SLICE))


def _retry_slice(batch: Batch, targets: Sequence[Any], by: User | None) -> int:
    """The new commands take the places of the old ones in the batch, so that its bar counts each row once."""
    kind, now = registry.kind(batch.kind), timezone.now()
    with transaction.atomic():
        rows = registry.noun(kind.noun).model._default_manager.select_for_update(of=("self",)).order_by("pk")
        useful = {row.pk: row for row in rows.filter(pk__in=targets) if not kind.refusal(row)}
        refused = Command.objects.filter(batch=batch, state=State.REFUSED, target_id__in=useful)
        old = list(refused.exclude(status=None).only("target_id", "params", "lane"))
        Command.objects.filter(pk__in=[command.pk for command in old]).update(
            state=State.CANCELLED, ended_at=now, seen_at=now, batch=None
        )
        Batch.objects.filter(pk=batch.pk).update(finished_at=None)
        for lane in Lane:
            again = [(useful[command.target_id], command.params) for command in old if command.lane == lane]
            outbox.put_each(kind.name, again, by=by, lane=lane, batch=batch)
    return len(old)


def progress(batch: Batch) -> Progress:
    by_state = dict(Command.objects.filter(batch=batch).values_list("state").annotate(n=Count("pk")).order_by())
    failed = sum(by_state.get(state, 0) for state in FAILED)
    taken_back = by_state.get(State.CANCELLED, 0)
    if batch.cancelled_at:
        taken_back += batch.total - batch.expanded
    return Progress(batch, by_state.get(State.DONE, 0), failed, taken_back)


def under_way(organization: Organization, most: int = 5) -> list[Progress]:
    running = Batch.objects.filter(organization=organization, finished_at=None).order_by("-created_at")
    return [now for now in map(progress, running[:most]) if not now.is_over]


def to_expand() -> QuerySet[Batch]:
    unfinished = Batch.objects.filter(finished_at=None)
    return unfinished.filter(Q(expanded__lt=F("total")) | Q(cancelled_at__isnull=False))


def finish(now: datetime | None = None) -> None:
    """Batches whose last command has ended are over: nobody counts them any more."""
    open_ones = Command.objects.filter(state__in=OPEN, batch__isnull=False).values("batch_id")
    whole = Batch.objects.filter(finished_at=None, expanded=F("total")).exclude(pk__in=open_ones)
    whole.update(finished_at=now or timezone.now())
