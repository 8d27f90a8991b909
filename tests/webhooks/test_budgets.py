"""How often a supplier may deliver: in one process, divided among several, and in Redis for all of them."""

import math

import pytest
import redis

from organizer.webhooks.receiver.budgets import LocalBuckets, RedisBuckets, retry_after

NAME, RATE, BURST = "vendor:1", 0.5, 3


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_gives_a_burst_and_then_as_much_as_time_brings():
    clock = Clock()
    buckets = LocalBuckets(clock=clock)
    assert [buckets.take(NAME, RATE, BURST) for _ in range(4)] == [0, 0, 0, 2]
    clock.now += 2
    assert [buckets.take(NAME, RATE, BURST) for _ in range(2)] == [0, 2]
    assert buckets.take("vendor:2", RATE, BURST) == 0
    clock.now += 1000
    assert [buckets.take(NAME, RATE, BURST) for _ in range(4)] == [0, 0, 0, 2]


def test_gives_its_share_among_several_processes():
    buckets = LocalBuckets(share=3, clock=Clock())
    assert [buckets.take(NAME, RATE, BURST) for _ in range(2)] == [0, 6]


def test_forgets_who_asked_longest_ago():
    clock = Clock()
    buckets = LocalBuckets(clock=clock)
    for number in range(20_000):
        clock.now += 1
        buckets.take(f"failures:{number}", RATE, BURST)
    assert len(buckets._left) <= 10_000


def test_one_bucket_for_all_in_redis(redis_url):
    both = [RedisBuckets(redis.Redis.from_url(redis_url)) for _ in range(2)]
    name = "vendor:shared"
    waits = [both[number % 2].take(name, 0.01, BURST) for number in range(5)]
    assert waits[:3] == [0, 0, 0]
    assert all(90 < wait <= 100 for wait in waits[3:])


def test_everybody_may_while_redis_is_away():
    gone = RedisBuckets(redis.Redis.from_url("redis://127.0.0.1:9", socket_connect_timeout=0.1))
    assert [gone.take(NAME, RATE, 1) for _ in range(3)] == [0, 0, 0]
    assert gone.lost == 3


@pytest.mark.parametrize("wait", [0.1, 1.0, 2.5, 60.0])
def test_says_whole_seconds_that_suffice(wait):
    assert all(wait <= said <= math.ceil(wait) * 1.25 + 1 for said in (retry_after(wait) for _ in range(50)))
