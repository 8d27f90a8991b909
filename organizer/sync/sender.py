"""Sends commands, one call a step: chosen by lane, claimed by compare-and-set, settled in one commit.

No transaction is open while the API is asked. What is not known to have been done stays in the outbox.
"""

import json
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.connections import actions as connections
from organizer.connections.models import Connection
from organizer.sync import due, mirror, outbox, queries, registry, schedule
from organizer.sync.models import Command, Lane, Outlet, State
from organizer.sync.outcomes import NO_LONGER_FOUND, Outcome, Reading, Then, after_reading, must_read_first, outcome
from organizer.sync.registry import Item, Kind
from organizer.sync.rules import wait_after
from organizer.upstream.errors import (
    AddressRefused,
    Broken,
    InProgress,
    KeyRefused,
    NotFound,
    ScopeMissing,
    Unreachable,
    UpstreamError,
)
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import Lane as Pace
from organizer.upstream.supplier_api import SupplierApi

log = logging.getLogger(__name__)

Api = EventApi | SupplierApi
LEASE = timedelta(seconds=60)
"""Outlives a whole request (45 s at the most)."""
MOST_AT_ONCE = 4
PATIENCE = 1.0
"""Seconds of a limit that are waited out in place: a broker's clock ticks too coarsely to come back to the moment."""
LOOK_AT = 20
FAILURES_BEFORE_ALL_REST = 3
HELD = float("inf")
LANES: dict[int, Pace] = {Lane.DOOR: Pace.PERSON, Lane.PERSON: Pace.PERSON, Lane.BULK: Pace.BULK}


@dataclass(frozen=True)
class Written:
    """What an answer without an object came to: the row as we knew it, and what was asked for."""

    id: str
    payload: dict[str, Any]
    doubts: tuple[str, ...] = ()


@dataclass
class Sender:
    """Sends for one connection. `open_api` gives a client whose lane is the command's."""

    connection: Connection
    open_api: Callable[[int], Api]
    holder: str
    now: Callable[[], datetime] = timezone.now
    luck: Callable[[], float] = random.random

    def step(self) -> float | None:
        """One command. Answers in how many seconds there is more to do; None where there is nothing."""
        now = self.now()
        wait = due.resting(self.connection, now)
        if wait > 0:
            return wait
        command = self._claim(now)
        if command is None:
            return due.next_due(self.connection, now)
        try:
            return self._send(command)
        except Exception:
            # a bug of ours in one kind of write: the lease is given back, and the others go on
            log.exception("%s could not be sent", command)
            again = now + timedelta(seconds=wait_after(command.attempts + 1, self.luck()))
            self._mine(command).update(
                state=State.WAITING, holder="", until=None, next_at=again, attempts=F("attempts") + 1,
                reason=_("An error of Foyer's own, which its log tells."),
            )  # fmt: skip
            return 0.0

    def _claim(self, now: datetime) -> Command | None:
        key, busy = self.connection.key_fingerprint, due.at_work(self.connection, now)
        if busy >= MOST_AT_ONCE:
            return None
        waiting = due.candidates(self.connection, now)
        if busy >= MOST_AT_ONCE - 1:
            waiting = waiting.exclude(lane=Lane.BULK)  # one hand is left to people
        for command in waiting[:LOOK_AT]:
            free = Command.objects.filter(pk=command.pk, state=State.WAITING, next_at__lte=now)
            taken = {"state": State.SENDING, "holder": self.holder, "until": now + LEASE}
            first = {"first_at": Coalesce("first_at", now), "sent_with": command.sent_with or key}
            if free.update(**taken, **first):
                command.refresh_from_db()
                return command
        return None

    def _send(self, command: Command) -> float:
        kind = registry.kind(command.kind)
        rows = registry.noun(command.noun).model._default_manager
        row = rows.filter(pk=command.target_id).first()
        if row is None or (row.remote_id is None and not kind.makes):
            self._refuse(command, Outcome(Then.REFUSED, reason=_("It is no longer here.")), State.REFUSED)
            return 0.0
        fingerprint = self.connection.key_fingerprint
        stale = must_read_first(
            attempts=command.attempts, first_at=command.first_at, sent_with=command.sent_with,
            fingerprint=fingerprint, now=self.now(),
        )  # fmt: skip
        try:
            api = self.open_api(command.lane)
            if stale:
                return self._read_back(command, kind, api, row)
            self._freeze(command, kind, row, api)
            body = command.body.encode() if command.body else None
            sent_at = self.now()
            key = kind.idempotency_key(row) or str(command.key)
            answer = api.send(command.method, command.path, body, scope=command.scope, idempotency_key=key)
            item = kind.item(answer)
            kind.verify(item, row)
        except UpstreamError as error:
            return self._failed(command, kind.meant(error))
        self._done(command, item or Written(row.remote_id or "", row.payload | command.fields), sent_at)
        return 0.0

    def _freeze(self, command: Command, kind: Kind, row: Any, api: Api) -> None:
        if command.method:
            return
        if kind.makes:
            row.remote_id = kind.made_already(api, row, command.params) or None
        request = kind.request(row, command.params)
        command.method, command.path = request.method, request.path
        command.body = json.dumps(request.body, ensure_ascii=False) if request.body is not None else ""
        self._mine(command).update(method=command.method, path=command.path, body=command.body)

    def _read_back(self, command: Command, kind: Kind, api: Api, row: Any) -> float:
        """Nobody knows whether it was done, and the key would not tell any more: the object says."""
        asked, item = self.now(), None
        if kind.makes and kind.is_harmless_again:
            return self._look_for_it(command, kind, api, row)
        if kind.makes:
            reason = _("Nobody knows whether this was made, and repeating it might make it twice.")
            self._refuse(command, Outcome(Then.REFUSED, reason=reason), State.PARKED)
            return 0.0
        try:
            item = kind.read(api, row)
        except NotFound:
            pass
        except UpstreamError as error:
            return self._failed(command, error)
        reached = item is not None and kind.is_reached(item.payload, command.fields)
        then = after_reading(found=item is not None, reached=reached, method=command.method, mails=command.mails)
        if then is Reading.ANEW:
            self._anew(command)
        elif then is Reading.DONE:
            self._done(command, item or Written(row.remote_id or "", row.payload | command.fields), asked)
        elif then is Reading.REFUSED:
            gone = Outcome(Then.REFUSED, reason=NO_LONGER_FOUND, status=404)
            self._refuse(command, gone, State.REFUSED)
        else:
            reason = _("Nobody knows whether this was done, and repeating it might send a second mail.")
            self._refuse(command, Outcome(Then.REFUSED, reason=reason), State.PARKED)
        return 0.0

    def _look_for_it(self, command: Command, kind: Kind, api: Api, row: Any) -> float:
        """What was to be made is known by a name of ours: it is there, or it is made now."""
        asked = self.now()
        try:
            item = kind.find(api, row)
            kind.verify(item, row)
        except UpstreamError as error:
            return self._failed(command, error)
        if item is None:
            self._anew(command)
        else:
            self._done(command, item, asked)
        return 0.0

    def _anew(self, command: Command) -> None:
        fresh = {"key": outbox.fresh_key(), "attempts": 0, "first_at": None, "sent_with": ""}
        self._mine(command).update(state=State.WAITING, holder="", until=None, **fresh)

    def _done(self, command: Command, item: Item, sent_at: datetime) -> None:
        now = self.now()
        noun, kind = registry.noun(command.noun), registry.kind(command.kind)
        with transaction.atomic():
            row = noun.model._default_manager.select_for_update().filter(pk=command.target_id).first()
            ended = {"state": State.DONE, "ended_at": now, "status": 200, "reason": "", "holder": "", "until": None}
            if not self._mine(command).update(**ended):
                return  # the lease was lost: whoever has it settles it
            if row is not None and kind.makes:
                mirror.adopt(noun, row, item.id)
            if row is not None:
                scope, generation = kind.list_of(row), row.generation
                read = mirror.Read(self.connection, scope, [item], generation, sent_at, written_at=now)
                mirror.store(noun, read)
        self._worked(command)
        if kind.makes and noun.has_lists:
            schedule.plan(self.connection, now)

    def _refuse(self, command: Command, why: Outcome, state: State) -> None:
        """Its later ones that still wait go with it."""
        now = self.now()
        noun, kind = registry.noun(command.noun), registry.kind(command.kind)
        ended = {"state": state, "ended_at": now, "holder": "", "until": None, "reason": why.reason}
        with transaction.atomic():
            row = noun.model._default_manager.select_for_update().filter(pk=command.target_id).first()
            if not self._mine(command).update(**ended, status=why.status, answer=dict(why.answer) or None):
                return
            later = Command.objects.filter(
                outbox.UNSENT, noun=command.noun, target_id=command.target_id, seq__gt=command.seq
            )
            parked = _("Because nobody knows whether %s was done.")
            because = (parked if state == State.PARKED else _("Because %s was refused.")) % kind.words
            later.update(state=State.REFUSED, ended_at=now, reason=because)
            if row is not None:
                mirror.refresh(noun, [row])
                outbox.read_again(command, row)
            if kind.makes:
                outbox.refuse_children(command, because, now)

    def _failed(self, command: Command, error: UpstreamError) -> float:
        now = self.now()
        what = outcome(error, attempts=command.attempts, luck=self.luck())
        log.info("%s of %s: %s", command.kind, self.connection.pk, type(error).__name__)
        if isinstance(error, KeyRefused | ScopeMissing):
            connections.note_failure(connection=self.connection, error=error)
        if what.then is Then.REFUSED:
            self._refuse(command, what, State.REFUSED)
            self._worked(command)
            return 0.0
        again: dict[str, Any] = {"next_at": now + timedelta(seconds=what.wait)}
        again |= {"state": State.WAITING, "holder": "", "until": None, "reason": what.reason, "status": what.status}
        if what.then is Then.UNKNOWN:
            again["attempts"] = F("attempts") + 1
        elif not command.attempts and not isinstance(error, InProgress):
            again |= {"first_at": None, "sent_with": ""}  # nothing was done: it can still be taken back
        self._mine(command).update(**again)
        if isinstance(error, KeyRefused):
            return HELD  # even if a new key is there by now: the client at hand still has the old one
        if isinstance(error, ScopeMissing):
            # a provider may name another scope than the one that we know this write by
            connections.note_failure(connection=self.connection, error=ScopeMissing(error.message, command.scope))
            self.connection.refresh_from_db(fields=["scopes"])
            return 0.0 if command.scope in queries.denied(self.connection) else HELD
        if isinstance(error, Unreachable | Broken) and not isinstance(error, AddressRefused):
            return self._rest(error)
        return what.wait

    def _rest(self, error: UpstreamError) -> float:
        """One command may be at fault; several in a row, or silence, are the provider's state."""
        outlet, _made = Outlet.objects.get_or_create(connection=self.connection, defaults={"next_at": self.now()})
        Outlet.objects.filter(pk=outlet.pk).update(failures=F("failures") + 1)
        failures = outlet.failures + 1
        if isinstance(error, Broken) and failures < FAILURES_BEFORE_ALL_REST:
            return 0.0
        connections.note_failure(connection=self.connection, error=error)
        wait = wait_after(failures, self.luck())
        Outlet.objects.filter(pk=outlet.pk).update(next_at=self.now() + timedelta(seconds=wait))
        return wait

    def _worked(self, command: Command) -> None:
        Outlet.objects.filter(connection=self.connection, failures__gt=0).update(failures=0)
        connections.note_success(connection=self.connection, scope=command.scope)

    def _mine(self, command: Command) -> QuerySet[Command]:
        return Command.objects.filter(pk=command.pk, state=State.SENDING, holder=self.holder)
