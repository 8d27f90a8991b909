"""Reading for the mirror: asked for by people and pages, done by the worker."""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db.models import Q
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.connections import clients
from organizer.connections.models import Connection
from organizer.sync import due, leases, queries, registry, schedule, sender
from organizer.sync.models import FAILED, OPEN, Batch, Command, Mirrored, Pulse, Sweep, Walker
from organizer.sync.rules import ON_SCREEN_EVERY, PURGE_AFTER
from organizer.sync.sender import HELD, MOST_AT_ONCE
from organizer.sync.sweeps import PATIENCE, Walk
from organizer.upstream.errors import KeyRefused
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import Lane

log = logging.getLogger(__name__)

SECONDS_A_TASK = 20.0
HELD_AGAIN = timedelta(seconds=10)
AFTER_A_BUG = timedelta(seconds=30)
PURGE_BATCH = 500
MANY = 3
"""So many commands due at once are worth a second hand."""
PULSES_KEPT = timedelta(days=1)


def ask(connection: Connection, noun: str, scope: str = "") -> bool:
    """Somebody wants it fresh: it goes before all else, and does not wait for a back-off to end."""
    now = timezone.now()
    asked = Sweep.objects.filter(connection=connection, noun=noun, scope=scope)
    found = asked.update(asked_at=now, next_at=now)
    Walker.objects.filter(connection=connection).update(next_at=now)
    return bool(found)


def show(
    organization: Organization, noun: str, scope: str = "", *, connection: Connection | None = None
) -> queries.Freshness:
    """How fresh the list is that a page shows, and word to the worker that it is on screen.

    A page writes once a minute and else only reads: on SQLite a write would wait for whoever is writing.
    """
    freshness = queries.freshness(organization, noun, scope, connection=connection)
    if connection and freshness.unseen:
        look(connection, noun, scope)
    return freshness


def show_read(connection: Connection | None, sweep: Sweep | None, noun: str, scope: str = "") -> queries.Freshness:
    """The same for who has read the list's sweep among others."""
    if connection is None:
        return queries.not_connected()
    freshness = queries.freshness_of(connection, sweep)
    if freshness.unseen:
        look(connection, noun, scope)
    return freshness


def look(connection: Connection, noun: str, scope: str = "") -> None:
    """A page shows this list: it is read each minute while it does. Writes at most once a minute."""
    now = timezone.now()
    before = now - ON_SCREEN_EVERY
    seen = Sweep.objects.filter(connection=connection, noun=noun, scope=scope)
    if not seen.filter(Q(looked_at=None) | Q(looked_at__lt=before)).update(looked_at=now):
        return
    old = seen.filter(Q(finished_at=None) | Q(finished_at__lt=before), page=0, failures=0)
    old.filter(Q(next_at=None) | Q(next_at__gt=now)).update(next_at=now)


def walk(
    connection_id: Any, *, seconds: float = SECONDS_A_TASK, now: Callable[[], datetime] = timezone.now
) -> float | None:
    """Reads until nothing is due, the limit says wait, or `seconds` are over.

    Answers in how many seconds there is more to do; None when there is nothing, or somebody else does it.
    """
    connection = Connection.objects.filter(pk=connection_id).first()
    holder = leases.new_holder()
    if connection is None or connection.service not in queries.SWEPT or not queries.may_use(connection):
        return None
    if not leases.take(connection_id, holder, now()):
        return None
    rest = now() + AFTER_A_BUG
    try:
        wait = _walk(connection, holder, time.monotonic() + seconds, now)
        rest = now() + timedelta(seconds=wait or 0)
        if wait is None and schedule.has_held(connection, now()):
            rest = now() + HELD_AGAIN
    except KeyRefused:
        return None  # the stored key does not open, which its health says by now
    except (leases.LeaseLost, Connection.DoesNotExist, Sweep.DoesNotExist):
        log.info("the walk of %s was taken over or its connection removed", connection_id)
        return None
    finally:
        leases.release(connection_id, holder, rest)
    return wait


def _walk(connection: Connection, holder: str, deadline: float, now: Callable[[], datetime]) -> float | None:
    schedule.plan(connection, now())
    with ExitStack() as opened:

        @cache
        def open_api(lane: Lane) -> EventApi:
            return opened.enter_context(clients.event_api(connection, lane, PATIENCE))

        walk = Walk(connection, open_api(Lane.SWEEP), holder, now)
        while time.monotonic() < deadline:
            walk.api = open_api(Lane.SPARE if due.has_backlog(connection, now()) else Lane.SWEEP)
            wait = walk.step()
            if wait is None or wait > 0:
                return wait
    return 0.0


def send(
    connection_id: Any,
    *,
    seconds: float = SECONDS_A_TASK,
    now: Callable[[], datetime] = timezone.now,
    call_help: Callable[[], None] = lambda: None,
) -> float | None:
    """Sends commands until nothing is due, the limit says wait, or `seconds` are over.

    Answers in how many seconds there is more to do; None when there is nothing, or it is held.
    Calls for help once where there is more to send than one can.
    """
    connection = Connection.objects.filter(pk=connection_id).first()
    if connection is None or not queries.may_use(connection) or due.at_work(connection, now()) >= MOST_AT_ONCE:
        return None
    deadline, helped = time.monotonic() + seconds, False
    with ExitStack() as opened:

        @cache
        def open_api(lane: int) -> sender.Api:
            return opened.enter_context(clients.api(connection, sender.LANES[lane], sender.PATIENCE))

        mine = sender.Sender(connection, open_api, leases.new_holder(), now)
        while time.monotonic() < deadline:
            if not helped and len(due.candidates(connection, now())[:MANY]) == MANY:
                helped = True
                call_help()
            wait = mine.step()
            if wait is None or wait > 0:
                return wait if wait != HELD else None
    return 0.0


def recover(now: datetime | None = None) -> None:
    due.recover(now or timezone.now())


def beat(now: datetime | None = None) -> None:
    """This process works, and so well: pages and `/readyz` read it."""
    now = now or timezone.now()
    told = {"at": now, "oldest_due": due.oldest_due(now)}
    Pulse.objects.update_or_create(process=leases.process_name(), defaults=told)


def housekeep(now: datetime | None = None) -> int:
    """Purges rows that are long gone; what hangs on them (counts included) goes with them. And old commands."""
    now = now or timezone.now()
    _purge_commands(now - PURGE_AFTER)
    purged = sum(_purge(noun.model, now - PURGE_AFTER) for noun in reversed(registry.nouns()))
    Pulse.objects.filter(at__lt=now - PULSES_KEPT).delete()
    return purged


def _purge_commands(before: datetime) -> None:
    """What came to nothing stays until somebody has seen it."""
    ended = Command.objects.filter(ended_at__lt=before).exclude(state__in=FAILED, seen_at=None).exclude(state__in=OPEN)
    while seqs := list(ended.values_list("pk", flat=True)[:PURGE_BATCH]):
        Command.objects.filter(pk__in=seqs).delete()
    Batch.objects.filter(finished_at__lt=before).delete()


def _purge(model: type[Mirrored], before: datetime) -> int:
    purged = 0
    long_gone = model._default_manager.filter(gone_at__lt=before)
    while ids := list(long_gone.values_list("pk", flat=True)[:PURGE_BATCH]):
        long_gone.filter(pk__in=ids).delete()  # not one that has come back meanwhile
        purged += len(ids)
    return purged
