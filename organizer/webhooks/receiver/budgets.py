"""How often somebody may: a bucket that fills with time. Without Redis each process keeps its share of it."""

import logging
import math
import random
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

import redis
from django.conf import settings

log = logging.getLogger(__name__)
MOST_KEPT = 10_000


class Buckets(Protocol):
    def take(self, name: str, rate: float, burst: int) -> float:
        """0.0 if there is one left, else the seconds until there is. `rate` is of one second."""


class LocalBuckets:
    """`share` is how many processes there are: each gives its part."""

    def __init__(self, share: int = 1, clock: Callable[[], float] = time.monotonic) -> None:
        self._share = share
        self._clock = clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, name: str, rate: float, burst: int) -> float:
        rate, most = rate / self._share, max(burst / self._share, 1.0)
        now = self._clock()
        with self._lock:
            left, at = self._left.get(name, (most, now))
            left = min(most, left + (now - at) * rate)
            wait = 0.0 if left >= 1 else (1 - left) / rate
            self._left[name] = (left if wait else left - 1, now)
            if len(self._left) > MOST_KEPT:
                self._forget()
        return wait

    def _forget(self) -> None:
        """Those that were asked longest ago: they are the likeliest to be full again."""
        for name in sorted(self._left, key=lambda name: self._left[name][1])[: MOST_KEPT // 2]:
            del self._left[name]


class RedisBuckets:
    """One bucket for all processes. Without an answer from Redis everybody may."""

    _TAKE = """
    local now = redis.call('TIME')
    now = now[1] + now[2] / 1000000
    local rate, most = tonumber(ARGV[1]), tonumber(ARGV[2])
    local kept = redis.call('HMGET', KEYS[1], 'left', 'at')
    local left = math.min(most, (tonumber(kept[1]) or most) + (now - (tonumber(kept[2]) or now)) * rate)
    local wait = 0
    if left >= 1 then left = left - 1 else wait = (1 - left) / rate end
    redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', tostring(now))
    redis.call('EXPIRE', KEYS[1], math.ceil(most / rate) + 1)
    return tostring(wait)
    """

    def __init__(self, client: redis.Redis) -> None:
        self._take = client.register_script(self._TAKE)
        self.lost = 0

    def take(self, name: str, rate: float, burst: int) -> float:
        try:
            return float(self._take(keys=[f"foyer:bucket:{name}"], args=[rate, burst]))
        except redis.RedisError:
            self.lost += 1
            log.warning("a budget could not be asked for (%d so far)", self.lost)
            return 0.0


@lru_cache(maxsize=1)
def shared() -> Buckets:
    if settings.REDIS_URL:
        return RedisBuckets(redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.1, socket_connect_timeout=0.1))
    return LocalBuckets(settings.FOYER_WEB_PROCESSES)


def retry_after(wait: float) -> int:
    """Whole seconds, and not the same for all, who would come back together."""
    return math.ceil(wait) + random.randint(0, max(1, math.ceil(wait / 4)))  # noqa: S311 not a secret
