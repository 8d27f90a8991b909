import json
import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from organizer.upstream import pacing
from organizer.upstream.limits import Lane
from tests.upstream.simulation import FixedWindow, SlidingWindow, run

SWEEPS = [Lane.SWEEP] * 4


def up_to(longest):
    return lambda chance: chance.random() * longest


def resting(often):
    """Work comes in bursts: now and then a worker has nothing to do for a while."""
    return lambda lane, chance: chance.random() * 12 if chance.random() < often else 0.0


def whole_windows(server, start=1000.0):
    """Counts of the windows that the run saw from their beginning to their end."""
    return [count for end, count in sorted(server.counts.items()) if end - server.length >= start][:-1]


@settings(max_examples=300, deadline=None)
@given(
    phase=st.floats(0, 10),
    latency=st.sampled_from([0.001, 0.02, 0.1, 0.5, 2.0, 9.0, 14.0]),
    limit=st.sampled_from([1, 2, 5, 20, 60, 100]),
    starts_with_request=st.booleans(),
    workers=st.lists(st.sampled_from(list(Lane)), min_size=1, max_size=9),
    rest=st.sampled_from([0.0, 0.02, 0.2]),
    seed=st.integers(0, 10**6),
)
@example(9.934134629448199, 9.0, 5, True, [Lane.PERSON] * 9, 0.0, 827674)
@example(0.0, 9.0, 5, False, [Lane.PERSON] * 9, 0.2, 76198)
def test_never_sends_more_than_a_window_allows(phase, latency, limit, starts_with_request, workers, rest, seed):
    server = FixedWindow(limit=limit, phase=phase, starts_with_request=starts_with_request)
    result = run(server, workers=workers, seconds=95, latency=up_to(latency), seed=seed, pause=resting(rest))
    assert result.refused() == 0
    assert max(server.counts.values()) <= limit


@settings(max_examples=60, deadline=None)
@given(
    phase=st.floats(0, 10),
    latency=st.sampled_from([0.001, 0.02, 0.1, 0.25]),
    workers=st.sampled_from([SWEEPS, [Lane.PERSON] * 4, [*SWEEPS, Lane.PERSON], [Lane.SWEEP] * 12]),
    starts_with_request=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_uses_what_there_is_when_there_is_work(phase, latency, workers, starts_with_request, seed):
    server = FixedWindow(phase=phase, starts_with_request=starts_with_request)
    run(server, workers=workers, seconds=95, latency=up_to(latency), seed=seed)
    full = whole_windows(server)
    assert len(full) >= 6
    assert sum(full) >= 0.95 * 60 * len(full)


def busy_now_and_then(lane, chance):
    """A person clicks every second or two; sweeps go on and on."""
    return chance.random() * 2 if lane is Lane.PERSON else 0.0


@pytest.mark.parametrize("phase", [0.0, 3.3, 9.9])
def test_gives_a_lonely_sweep_everything(phase):
    server = FixedWindow(phase=phase)
    run(server, workers=SWEEPS, seconds=95, latency=up_to(0.02))
    assert min(whole_windows(server)) >= 59  # one is kept for a person nearly to the end, and may then be too late


@pytest.mark.parametrize("seed", range(5))
def test_lets_no_person_wait_behind_sweeps(seed):
    server = FixedWindow(phase=4.2)
    workers = [*SWEEPS, *SWEEPS, Lane.PERSON]
    result = run(server, workers=workers, seconds=95, latency=up_to(0.05), seed=seed, pause=busy_now_and_then)
    assert result.waits[Lane.PERSON] < 0.5
    assert result.refused() == 0
    lanes = Counter(lane for _, lane, _ in result.statuses)
    assert lanes[Lane.SWEEP] > 200  # half of what there is, at the least


def test_keeps_a_reserve_for_people_until_the_last_second():
    state = heard(pacing.State(), limit=60, left=3, reset=5, now=100.0)
    assert pacing.take(state, Lane.PERSON, 100.1, "p")[1] == 0
    assert pacing.take(state, Lane.SWEEP, 100.1, "s")[1] == pytest.approx(state.high - 1 - 100.1)
    assert pacing.take(state, Lane.SWEEP, state.high - 0.9, "s")[1] == 0


def test_keeps_one_place_for_a_person_among_slow_sweeps():
    state = heard(pacing.State(), limit=60, left=50, reset=8, now=100.0)
    state, _ = pacing.take(state, Lane.PERSON, 100.0, "p")
    state = pacing.settle(state, "p", 100.1, None, {})
    for grant in "abc":
        state, wait = pacing.take(state, Lane.SWEEP, 100.2, grant)
        assert wait == 0
    assert pacing.take(state, Lane.SWEEP, 100.3, "d")[1] > 0
    assert pacing.take(state, Lane.PERSON, 100.3, "p")[1] == 0


def test_makes_everybody_wait_after_a_429():
    state = heard(pacing.State(), limit=60, left=20, reset=7, now=100.0)
    state, _ = pacing.take(state, Lane.SWEEP, 100.0, "a")
    state = pacing.settle(state, "a", 100.1, 429, {"Retry-After": "4"})
    for lane in Lane:
        assert pacing.take(state, lane, 100.1, "b")[1] == pytest.approx(4)


def test_waits_a_second_after_a_429_without_a_word():
    state, _ = pacing.take(pacing.State(), Lane.PERSON, 100.0, "a")
    state = pacing.settle(state, "a", 100.1, 429, {})
    assert pacing.take(state, Lane.PERSON, 100.1, "b")[1] == pytest.approx(1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), latency=st.sampled_from([0.01, 0.1, 0.2]))
def test_falls_back_to_even_spacing_where_the_window_slides(seed, latency):
    server = SlidingWindow()
    result = run(server, workers=SWEEPS, seconds=120, latency=up_to(latency), seed=seed)
    assert result.refused() <= 2 * pacing.AT_ONCE  # once at the first burst, once when it is tried again
    assert len(result.statuses) > 0.8 * 60 * 12


def test_spaces_evenly_where_nothing_is_said():
    class Silent(FixedWindow):
        def answer(self, now):
            return super().answer(now)[0], {}

    server = Silent(phase=3.0)
    result = run(server, workers=SWEEPS, seconds=95, latency=up_to(0.05))
    assert result.refused() == 0
    assert sum(whole_windows(server)) >= 0.9 * 60 * len(whole_windows(server))


def test_learns_that_a_provider_rounds_the_other_way():
    class Down(FixedWindow):
        def answer(self, now):
            status, headers = super().answer(now)
            return status, headers | {"RateLimit-Reset": str(int(headers["RateLimit-Reset"]) - 1)}

    server = Down(phase=3.0)
    known = pacing.State(rounds_down=True)
    assert run(server, workers=SWEEPS, seconds=95, latency=up_to(0.02), state=known).refused() == 0
    state = heard(pacing.State(), limit=60, left=10, reset=0, now=100.0)
    assert state.rounds_down


def test_forgets_what_a_dead_process_left_behind():
    state = heard(pacing.State(), limit=60, left=59, reset=10, now=100.0)
    for grant in "abcd":
        state, wait = pacing.take(state, Lane.PERSON, 100.0, grant)
        assert wait == 0
    assert pacing.take(state, Lane.PERSON, 101.0, "e")[1] > 0
    assert pacing.take(state, Lane.PERSON, 100.0 + pacing.LOST_AFTER + 0.1, "e")[1] == 0


def test_counts_what_was_never_answered():
    state = heard(pacing.State(), limit=60, left=50, reset=10, now=100.0)
    before = state.counted
    state, _ = pacing.take(state, Lane.PERSON, 100.0, "a")
    assert state.counted == before + 1
    assert pacing.settle(state, "a", 101.0, None, {}).counted == before + 1


def test_believes_the_provider_more_than_its_own_count():
    """Somebody else uses the key too."""
    state = heard(pacing.State(), limit=60, left=0, reset=6, now=100.0)
    assert pacing.take(state, Lane.PERSON, 100.5, "a")[1] == pytest.approx(state.high + pacing.MARGIN - 100.5)


def test_narrows_the_moment_of_reset():
    state = heard(pacing.State(), limit=60, left=59, reset=10, now=100.0)
    assert (state.low, state.high) == (109.0, 110.0)
    state, _ = pacing.take(state, Lane.PERSON, 100.4, "b")
    state = pacing.settle(state, "b", 100.4, 200, says(60, 58, 9))
    assert (state.low, state.high) == (109.0, pytest.approx(109.4))


def test_starts_anew_when_the_clock_was_set_back():
    state = heard(pacing.State(), limit=30, left=0, reset=10, now=10_000.0)
    assert pacing.current(state, 10_020.0).opened == 10_020.0
    fresh = pacing.current(pacing.current(state, 10_020.0), 5_000.0)
    assert (fresh.limit, fresh.high, fresh.counted) == (30, None, 0)


@pytest.mark.parametrize("stored", [{}, {"limit": 60, "unknown": 1}, {"flight": {"a": 1.0}, "limit": 9}])
def test_reads_what_was_stored(stored):
    assert isinstance(pacing.State.from_json(stored), pacing.State)


@given(seed=st.integers(0, 10**6))
def test_means_the_same_after_storing(seed):
    chance, state = random.Random(seed), pacing.State()
    for step in range(20):
        now = 100.0 + step * chance.random()
        state, wait = pacing.take(state, chance.choice(list(Lane)), now, str(step))
        if not wait:
            state = pacing.settle(state, str(step), now + 0.1, 200, says(60, 59 - step, 10))
    assert pacing.State.from_json(json.loads(json.dumps(state.to_json()))) == state


@pytest.mark.parametrize(
    "headers",
    [
        {"RateLimit-Limit": "60, 60;w=10", "RateLimit-Remaining": "59", "RateLimit-Reset": "10"},
        {"RateLimit-Limit": "60", "RateLimit-Remaining": "59.0", "RateLimit-Reset": "9.5"},
    ],
)
def test_reads_the_headers_of_other_houses(headers):
    state = pacing.settle(pacing.State(), "a", 100.0, 200, headers)
    assert (state.limit, state.used, state.silent) == (60, 1, False)


@pytest.mark.parametrize("odd", ["", "many", "-1", "nan", "inf", "9" * 400])
def test_takes_odd_headers_for_none(odd):
    headers = {"RateLimit-Limit": "60", "RateLimit-Remaining": odd, "RateLimit-Reset": "10"}
    assert pacing.settle(pacing.State(), "a", 100.0, 200, headers).silent


def says(limit, left, reset):
    return {"RateLimit-Limit": str(limit), "RateLimit-Remaining": str(left), "RateLimit-Reset": str(reset)}


def heard(state, *, limit, left, reset, now):
    """As after one request that was answered at once."""
    state, _ = pacing.take(state, Lane.PERSON, now, "heard")
    state = replace(state, wanted=0.0)
    return pacing.settle(state, "heard", now, 200, says(limit, left, reset))
