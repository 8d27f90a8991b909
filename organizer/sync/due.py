"""Which commands may be sent now, which are at work, and since when the oldest waits."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from organizer.connections import queries as connections_queries
from organizer.connections.models import Connection
from organizer.sync import leases, queries
from organizer.sync.models import Command, Lane, Outlet, State

BACKLOG, SOON = 20, timedelta(seconds=10)


def candidates(connection: Connection, now: datetime) -> QuerySet[Command]:
    """What may be sent now, people before bulk: nothing goes before an earlier open one of the same row."""
    waiting = Command.objects.filter(connection=connection, state=State.WAITING, next_at__lte=now)
    allowed = waiting.exclude(scope__in=queries.denied(connection))
    return allowed.filter(~queries.is_behind()).order_by("lane", "seq")


def resting(connection: Connection, now: datetime) -> float:
    """Seconds for which nothing is tried after failures; 0 where the way is open."""
    outlet = Outlet.objects.filter(connection=connection).first()
    return max((outlet.next_at - now).total_seconds(), 0.0) if outlet and outlet.failures else 0.0


def next_due(connection: Connection, now: datetime) -> float | None:
    waiting = Command.objects.filter(~queries.is_behind(), connection=connection, state=State.WAITING)
    waiting = waiting.exclude(scope__in=queries.denied(connection))
    at = waiting.order_by("next_at").values_list("next_at", flat=True).first()
    return max((at - now).total_seconds(), 0.05) if at else None


def has_backlog(connection: Connection, now: datetime) -> bool:
    """Whether many commands are to be sent now or in the next moments."""
    soon = Command.objects.filter(connection=connection, state=State.WAITING, next_at__lte=now + SOON)
    return len(soon.values_list("pk")[:BACKLOG]) == BACKLOG


def at_work(connection: Connection, now: datetime) -> int:
    return Command.objects.filter(connection=connection, state=State.SENDING, until__gte=now).count()


def recover(now: datetime) -> int:
    """Frees what was being sent by processes that are no more: whether it was done is not known."""
    sending = Command.objects.filter(state=State.SENDING)
    dead = {holder for holder in sending.values_list("holder", flat=True).distinct() if leases.is_dead(holder)}
    lost = sending.filter(Q(until__lt=now) | Q(holder__in=dead))
    return lost.update(state=State.WAITING, holder="", until=None, next_at=now, attempts=F("attempts") + 1)


def oldest_due(now: datetime) -> datetime | None:
    """Since when a person's change waits though nothing holds it; a long bulk takes its time, and its bar tells."""
    waiting = [
        candidates(connection, now)
        .exclude(lane=Lane.BULK)
        .order_by("next_at")
        .values_list("next_at", flat=True)
        .first()
        for connection in to_send(now)
        if not connections_queries.is_spent(connection)
    ]
    return min(filter(None, waiting), default=None)


def to_send(now: datetime) -> QuerySet[Connection]:
    """Connections with commands due."""
    due = Command.objects.filter(connection=OuterRef("pk"), state=State.WAITING, next_at__lte=now)
    rests = Outlet.objects.filter(connection=OuterRef("pk"), failures__gt=0, next_at__gt=now)
    return queries.usable_connections().filter(Exists(due)).exclude(Exists(rests))
