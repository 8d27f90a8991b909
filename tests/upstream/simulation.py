"""A server that counts and several workers, on a clock of our own: what pacing promises is tried a thousand times."""

import heapq
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from organizer.upstream import pacing
from organizer.upstream.limits import Lane


@dataclass
class FixedWindow:
    """Counts in windows that follow each other, or that begin with the first request after the last one."""

    limit: int = 60
    length: float = 10.0
    phase: float = 0.0
    starts_with_request: bool = False
    ends: float = 0.0
    counts: Counter = field(default_factory=Counter)

    def answer(self, now: float) -> tuple[int, dict[str, str]]:
        if now >= self.ends:
            start = now if self.starts_with_request else self._aligned(now)
            self.ends = start + self.length
        self.counts[self.ends] += 1
        count = self.counts[self.ends]
        headers = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(max(self.limit - count, 0)),
            "RateLimit-Reset": str(math.ceil(self.ends - now)),
        }
        return (429 if count > self.limit else 200), headers

    def _aligned(self, now: float) -> float:
        return now - (now - self.phase) % self.length


@dataclass
class SlidingWindow:
    """Counts what the last `length` seconds held; what it refuses does not count."""

    limit: int = 60
    length: float = 10.0
    taken: list[float] = field(default_factory=list)

    def answer(self, now: float) -> tuple[int, dict[str, str]]:
        self.taken = [at for at in self.taken if at > now - self.length]
        refused = len(self.taken) >= self.limit
        if not refused:
            self.taken.append(now)
        headers = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.limit - len(self.taken)),
            "RateLimit-Reset": str(math.ceil(self.taken[0] + self.length - now)),
        }
        return (429 if refused else 200), headers


@dataclass
class Run:
    statuses: list[tuple[float, Lane, int]] = field(default_factory=list)  # counted by the server at
    waits: dict[Lane, float] = field(default_factory=dict)  # the longest that anybody of the lane waited

    def refused(self) -> int:
        return sum(status == 429 for _, _, status in self.statuses)


Latency = Callable[[random.Random], float]


def run(
    server: FixedWindow | SlidingWindow,
    *,
    workers: list[Lane],
    seconds: float,
    latency: Latency,
    seed: int = 0,
    start: float = 1000.0,
    pause: Callable[[Lane, random.Random], float] = lambda lane, chance: 0.0,
    state: pacing.State | None = None,
) -> Run:
    """Each worker sends, waits for the answer, pauses and sends again; all share one state, as by a database."""
    chance, order, grants = random.Random(seed), itertools.count(), itertools.count()
    state = state or pacing.State()
    result = Run()
    todo: list[tuple[float, int, Callable[[float], None]]] = []

    def later(at: float, what: Callable[[float], None]) -> None:
        heapq.heappush(todo, (at, next(order), what))

    def want(lane: Lane, since: float) -> Callable[[float], None]:
        def ask(now: float) -> None:
            nonlocal state
            grant = str(next(grants))
            state, wait = pacing.take(state, lane, now, grant)
            if wait:
                later(now + wait, ask)
                return
            result.waits[lane] = max(result.waits.get(lane, 0.0), now - since)
            later(now + latency(chance), lambda at: arrive(lane, grant, at))

        return ask

    def arrive(lane: Lane, grant: str, now: float) -> None:
        status, headers = server.answer(now)
        result.statuses.append((now, lane, status))

        def answered(at: float) -> None:
            nonlocal state
            state = pacing.settle(state, grant, at, status, headers)
            resume = at + pause(lane, chance)
            later(resume, want(lane, resume))

        later(now + latency(chance), answered)

    for lane in workers:
        later(start + chance.random() * 0.01, want(lane, start))
    while todo and todo[0][0] < start + seconds:
        at, _, what = heapq.heappop(todo)
        what(at)
    return result
