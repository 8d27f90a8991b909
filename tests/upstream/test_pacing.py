from hypothesis import given, settings
from hypothesis import strategies as st

from organizer.upstream.limits import Lane
from tests.upstream.simulation import FixedWindow, run

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
