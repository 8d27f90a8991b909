"""How fast a key may be used: one allowance for all processes. Pure: state, headers and now make a wait.

The provider counts in windows of a length and a phase that we are not told; its answers are believed more than our own
count. Each says how much is left (`RateLimit-Remaining`) and, in whole seconds rounded up, when the window ends
(`RateLimit-Reset`): sent at `s` and answered at `t` it means `s + R - 1 < end <= t + R`. Intersected over a few
answers that is a narrow span, and until its far side nothing is taken for granted.

What may have been counted is at most what the provider has said plus what is still unanswered.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from organizer.upstream.answers import wait as asked_to_wait
from organizer.upstream.limits import Lane

SWEEPS = (Lane.SWEEP, Lane.SPARE)
AT_ONCE = 4
RESERVE = 3
"""Left to people by all other work, until the last second of a window."""
LAST = 1.0
VERY_LAST = 0.3
"""Until then one request is left to a person who comes in the last second."""
SMALL_SHARE = 30
"""One in so many is a sweep's while others have more to send than fits."""
LOST_AFTER = 40.0
"""Seconds until an unanswered request is taken for that of a dead process."""
EVEN_FOR = 60.0
"""Seconds of even spacing after a 429: the window slid, or somebody else uses the key."""
MARGIN = 0.02
"""Seconds that the clocks of two machines may differ."""
SOON = 0.05
NOTED = 1.0


@dataclass(frozen=True)
class State:
    limit: int = 60
    heard: bool = False  # the provider has named its limit; until then one request goes at a time
    length: float = 10.0
    rounds_down: bool = False  # this provider's reset can be 0, so it is rounded the other way
    silent: bool = False  # this provider says nothing of its limit
    opened: float = 0.0  # what is sent from here on belongs to the present window or a later one
    low: float | None = None  # the window ends after this …
    high: float | None = None  # … and not after that
    used: int = 0  # of the present window, by the provider's word
    unsure: int = 0  # answered since, of this window or the one before, and not in that word
    unsure_at: float = 0.0  # when the last of these was answered: what is sent later tells of them too
    carry: int = 0  # may have been counted in the window that comes
    swept: int = 0  # granted to sweeps in the present window
    flight: dict[str, float] = field(default_factory=dict)  # grant -> sent at
    wanted: float = 0.0  # when a person last wanted to send
    short: float = 0.0  # when somebody other than a sweep last found no room
    sent: float = 0.0
    blocked: float = 0.0
    even: float = 0.0  # spaced evenly until then

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "State":
        """What an older version left behind is no reason to stop: it starts anew."""
        try:
            return cls(**stored)
        except TypeError:
            return cls()

    @property
    def counted(self) -> int:
        """The most that the provider can have counted in the present window."""
        return self.used + self.unsure + len(self.flight)

    @property
    def reserve(self) -> int:
        return min(RESERVE, self.limit // 10)


def take(state: State, lane: Lane, now: float, grant: str) -> tuple[State, float]:
    """Grants one request (0.0), or says how long to wait; the state is to be kept in both cases."""
    state = current(state, now)
    if lane is Lane.PERSON and now - state.wanted >= NOTED:
        state = replace(state, wanted=now)
    wait = _wait(state, lane, now)
    if wait > 0:
        if lane not in SWEEPS and wait > SOON and now - state.short >= NOTED:
            state = replace(state, short=now)
        return state, max(wait, SOON)
    return replace(
        state,
        flight=state.flight | {grant: now},
        sent=now,
        swept=state.swept + (lane in SWEEPS),
    ), 0.0


def settle(state: State, grant: str, now: float, status: int | None, headers: Mapping[str, str]) -> State:
    """The request of `grant` was answered, or is given up (`status` None)."""
    state = current(state, now)
    sent = state.flight.get(grant, now - LOST_AFTER)
    state = replace(state, flight={other: at for other, at in state.flight.items() if other != grant})
    limit, left, reset = (_whole(headers.get(f"RateLimit-{name}")) for name in ("Limit", "Remaining", "Reset"))
    if status is None:
        state = replace(state, used=state.used + 1)
    elif limit is None or left is None or reset is None:
        state = replace(state, heard=True, silent=True, used=0)
    else:
        state = replace(
            state,
            heard=True,
            silent=False,
            limit=max(limit, 1),
            length=max(state.length, float(reset)),
            rounds_down=state.rounds_down or reset == 0,
        )
        early = 0 if state.rounds_down else 1
        after, until = sent + reset - early, now + reset + 1 - early
        state = _heard(state, sent, limit - left, after, until, now)
    if status == 429:
        state = replace(state, blocked=max(state.blocked, now + asked_to_wait(headers)), even=now + EVEN_FOR)
    return state


def current(state: State, now: float) -> State:
    """The state as of `now`: a window that has surely ended is behind us, and so are requests nobody waits for."""
    if state.opened > now + 60:  # the clock was set back
        return State(limit=state.limit, length=state.length, opened=now)
    if any(now - at > LOST_AFTER for at in state.flight.values()):
        state = replace(state, flight={grant: at for grant, at in state.flight.items() if now - at <= LOST_AFTER})
    if state.high is not None and now >= state.high + MARGIN:
        return replace(state, opened=now, low=None, high=None, used=state.carry, unsure=0, carry=0, swept=0)
    return state


def resets_in(state: State, now: float) -> float:
    """Seconds until the allowance is whole again, at the latest."""
    ends = [at for at in (state.high, state.blocked) if at is not None]
    return max(0.0, *(at - now for at in ends)) if ends else 0.0


def _wait(state: State, lane: Lane, now: float) -> float:
    if now < state.blocked:
        return state.blocked - now
    crowded = lane in SWEEPS and now - state.wanted < state.length
    if len(state.flight) >= (AT_ONCE - crowded if state.heard else 1):
        return SOON
    if state.silent or now < state.even:
        spacing = state.length / max(state.limit - max(state.reserve, 1), 1)
        if now < state.sent + spacing * (1 + crowded):
            return state.sent + spacing * (1 + crowded) - now
    if state.silent:
        return 0.0
    return _wait_for_room(state, lane, now, crowded=crowded)


def _wait_for_room(state: State, lane: Lane, now: float, *, crowded: bool) -> float:
    to_end = SOON if state.high is None else state.high + MARGIN - now
    if state.counted >= state.limit:
        return to_end
    if lane is Lane.PERSON:
        return 0.0
    if lane in SWEEPS and (behind := _wait_behind_others(state, lane, now, to_end, crowded=crowded)):
        return behind
    if state.counted < state.limit - state.reserve:
        return 0.0
    if state.high is None:
        return SOON
    if now < state.high - LAST:
        return state.high - LAST - now
    return 0.0 if state.counted < state.limit - 1 or now >= state.high - VERY_LAST else state.high - VERY_LAST - now


def _wait_behind_others(state: State, lane: Lane, now: float, to_end: float, *, crowded: bool) -> float:
    """Sweeps take half of a window beside a person, and little of it beside more work than fits.

    What that work has not used late in the window it is too slow to use.
    """
    little = state.swept >= max(state.limit // SMALL_SHARE, 1)
    to_late = SOON if state.high is None else state.high - state.length / (4 if lane is Lane.SPARE else 2) - now
    if little and to_late > 0 and (lane is Lane.SPARE or now - state.short < 2 * state.length):
        return min(to_late, to_end)
    return to_end if crowded and state.swept >= max(state.limit // 2, 1) else 0.0


def _heard(state: State, sent: float, counted: int, after: float, until: float, now: float) -> State:
    """An answer said: `counted` so far in the window that ends in (after, until]. Which window is that?"""
    is_sure = sent >= state.opened or after >= state.opened
    if state.low is None or state.high is None:
        if is_sure:
            return replace(_told(state, sent, counted), low=max(after, state.opened), high=until)
        return replace(state, unsure=state.unsure + 1, unsure_at=now)
    if after >= state.high:  # a later one has begun
        used = max(counted, state.carry)
        return replace(state, opened=state.high, low=after, high=until, used=used, unsure=0, carry=0, swept=0)
    if until < state.low:
        return state
    low, high = max(state.low, after), min(state.high, until)
    if until >= state.low + state.length:  # answered so late that it may be of the next one: both are waited for
        high = max(state.high, until)
        state = replace(state, carry=max(state.carry, counted))
    if not is_sure:
        return replace(state, unsure=state.unsure + 1, unsure_at=now)
    return replace(_told(state, sent, counted), low=low, high=high)


def _told(state: State, sent: float, counted: int) -> State:
    """The provider's word is of all that arrived before: surely of what had been answered when this was sent."""
    unsure = 0 if sent >= state.unsure_at else state.unsure
    return replace(state, used=max(state.used, counted), unsure=unsure)


def _whole(text: str | None) -> int | None:
    """The number that a header begins with; others may follow it (`60, 60;w=10`)."""
    digits = (text or "").split(",")[0].split(";")[0].strip()
    try:
        number = float(digits)
    except ValueError:
        return None
    return math.ceil(number) if math.isfinite(number) and 0 <= number < 10**9 else None
