"""One allowance per key for all processes: its state lies in the database, or in Redis where there is one.

The decisions are `upstream.pacing`'s; here is only how a state is changed by one process at a time.
"""

import json
import logging
import random
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Protocol

import redis
from django.conf import settings
from django.db import DatabaseError

from organizer.connections.models import Allowance
from organizer.upstream import pacing
from organizer.upstream.errors import NotYet
from organizer.upstream.limits import Lane

log = logging.getLogger(__name__)

Step = Callable[[pacing.State], tuple[pacing.State, float]]
TRIES = 50
BUSY = 0.2
FORGOTTEN_AFTER = 3600


class CouldNotCount(Exception):
    """The state could not be changed: its store is away, or too many want it."""


class Store(Protocol):
    def change(self, name: str, step: Step) -> float:
        """Applies `step` to the named state as if nobody else did at that moment."""

    def read(self, name: str) -> pacing.State: ...


class SharedLimiter:
    """`patience` is how many seconds `take` may wait by itself; without it, it says no at once."""

    def __init__(
        self,
        name: str,
        *,
        store: Store | None = None,
        patience: float = 0.0,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name = name
        self._store = store or shared_store()
        self._patience = patience
        self._clock = clock
        self._sleep = sleep

    def take(self, lane: Lane) -> str:
        grant = secrets.token_hex(5)
        until = self._clock() + self._patience
        while wait := self._ask(lane, grant):
            if self._clock() + wait > until:
                raise NotYet(wait)
            self._sleep(wait)
        return grant

    def settle(self, grant: str, status: int | None, headers: Mapping[str, str]) -> None:
        now = self._clock()
        try:
            self._store.change(self._name, lambda state: (pacing.settle(state, grant, now, status, headers), 0.0))
        except CouldNotCount:
            # it stays among the unanswered until it is taken for lost: we send less, never more
            log.warning("an answer could not be counted", exc_info=True)

    def _ask(self, lane: Lane, grant: str) -> float:
        try:
            return self._store.change(self._name, lambda state: pacing.take(state, lane, self._clock(), grant))
        except CouldNotCount:
            return BUSY


class DatabaseStore:
    """Compare-and-set on a version: nothing is locked while we think, and nothing at all over HTTP."""

    def read(self, name: str) -> pacing.State:
        row = Allowance.objects.filter(name=name).first()
        return pacing.State.from_json(row.state) if row else pacing.State()

    def change(self, name: str, step: Step) -> float:
        try:
            return self._change(name, step)
        except DatabaseError as error:
            raise CouldNotCount from error

    def _change(self, name: str, step: Step) -> float:
        for attempt in range(TRIES):
            row = Allowance.objects.filter(name=name).first()
            if row is None:
                row, _ = Allowance.objects.get_or_create(name=name)
            before = pacing.State.from_json(row.state)
            after, result = step(before)
            if after == before:
                return result
            mine = Allowance.objects.filter(name=name, version=row.version)
            if mine.update(version=row.version + 1, state=after.to_json()):
                return result
            _let_others(attempt)
        raise CouldNotCount


class RedisStore:
    """The same by WATCH: the transaction fails where somebody else was faster."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def read(self, name: str) -> pacing.State:
        try:
            stored = self._client.get(_redis_key(name))
        except redis.RedisError:
            return pacing.State()  # a page is shown without it
        return pacing.State.from_json(json.loads(stored)) if stored else pacing.State()

    def change(self, name: str, step: Step) -> float:
        try:
            return self._change(_redis_key(name), step)
        except redis.RedisError as error:
            raise CouldNotCount from error

    def _change(self, key: str, step: Step) -> float:
        for attempt in range(TRIES):
            with self._client.pipeline() as pipe, suppress(redis.WatchError):
                pipe.watch(key)
                stored = pipe.get(key)
                before = pacing.State.from_json(json.loads(stored)) if stored else pacing.State()
                after, result = step(before)
                if after != before:
                    pipe.multi()
                    pipe.set(key, json.dumps(after.to_json()), ex=FORGOTTEN_AFTER)
                    pipe.execute()
                return result
            _let_others(attempt)
        raise CouldNotCount


def shared_store() -> Store:
    return RedisStore(_redis(settings.REDIS_URL)) if settings.REDIS_URL else DatabaseStore()


@lru_cache(maxsize=4)
def _redis(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=2)


def _redis_key(name: str) -> str:
    return f"foyer:allowance:{name}"


def _let_others(attempt: int) -> None:
    time.sleep(random.random() * 0.002 * min(attempt + 1, 10))  # noqa: S311
