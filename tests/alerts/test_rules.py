"""Where each condition opens, where it does not yet, and where it is over."""

from datetime import UTC, datetime, timedelta

import pytest

from organizer.alerts import rules
from organizer.alerts.rules import ACKNOWLEDGED, IGNORED, OPEN, RESOLVED, Limits, Step

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
USUAL = Limits()
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("recent", "usual", "stands", "holds"),
    [
        (20, 0, False, True),
        (19, 0, False, False),
        (30, 10, False, False),  # five times the usual is more than the floor
        (50, 10, False, True),
        (25, 10, True, True),
        (24, 10, True, False),
        (10, 0, True, True),
        (9, 0, True, False),
    ],
)
def test_rejects(recent, usual, stands, holds):
    assert rules.rejects(recent, usual, USUAL, stands=stands).holds is holds


@pytest.mark.parametrize(
    ("settled", "unmatched", "stands", "holds"),
    [
        (10, 3, False, True),
        (10, 2, False, False),  # 20 % are not more than 20 %
        (9, 9, False, False),
        (0, 0, False, False),
        (100, 11, True, True),
        (100, 10, True, False),
        (5, 5, True, True),
        (4, 4, True, False),
    ],
)
def test_no_match(settled, unmatched, stands, holds):
    assert rules.no_match(settled, unmatched, USUAL, stands=stands).holds is holds


@pytest.mark.parametrize(
    ("number", "stands", "holds"), [(21, False, True), (20, False, False), (11, True, True), (10, True, False)]
)
def test_failed(number, stands, holds):
    assert rules.failed(number, USUAL, stands=stands).holds is holds


@pytest.mark.parametrize(
    ("seconds", "stands", "holds"), [(121, False, True), (120, False, False), (61, True, True), (60, True, False)]
)
def test_waiting(seconds, stands, holds):
    assert rules.waiting(1, NOW - timedelta(seconds=seconds), USUAL, NOW, stands=stands).holds is holds
    assert not rules.waiting(0, None, USUAL, NOW, stands=stands).holds


class TestQuiet:
    STEADY = [20 * MINUTE] * 300
    OFFICE = [30 * MINUTE] * 160 + [16 * HOUR] * 16 + [64 * HOUR] * 4

    def judged(self, silent, latest, older=()):
        return rules.quiet(NOW, NOW - silent, latest, older, USUAL)

    def test_a_steady_caller_is_missed_soon(self):
        assert self.judged(2 * HOUR + MINUTE, self.STEADY).holds
        assert not self.judged(2 * HOUR, self.STEADY).holds

    def test_says_what_is_usual(self):
        assert self.judged(3 * DAY, self.STEADY).measured["usual"] == 20 * 60

    def test_nights_and_weekends_are_no_silence(self):
        assert not self.judged(70 * HOUR, self.OFFICE).holds
        assert self.judged(129 * HOUR, self.OFFICE).holds

    def test_two_outages_do_not_become_a_custom(self):
        assert self.judged(3 * HOUR, [*self.STEADY, 3 * DAY, 5 * DAY]).holds

    def test_knows_the_weeks_before_the_latest_calls(self):
        assert not self.judged(60 * HOUR, [MINUTE] * 200, [2 * DAY] * 6).holds

    def test_who_rarely_calls_is_never_missed(self):
        assert not self.judged(300 * DAY, [7 * DAY] * 4).holds

    def test_a_new_one_has_no_custom_yet(self):
        assert not self.judged(2 * DAY, [MINUTE] * 500).holds
        assert not self.judged(2 * DAY, []).holds


def old_secret(*, left, used, replaced=DAY, stands=False):
    used_at = NOW - used if used else None
    return rules.old_secret(NOW + left, used_at, NOW - replaced, USUAL, NOW, stands=stands).holds


def test_old_secret():
    assert old_secret(left=6 * HOUR, used=HOUR)
    assert not old_secret(left=6 * HOUR + MINUTE, used=HOUR)
    assert not old_secret(left=HOUR, used=None)
    assert not old_secret(left=HOUR, used=13 * HOUR)
    assert old_secret(left=HOUR, used=13 * HOUR, stands=True)
    assert not old_secret(left=HOUR, used=25 * HOUR, replaced=30 * HOUR, stands=True)
    assert not old_secret(left=-MINUTE, used=HOUR, stands=True)
    assert not old_secret(left=HOUR, used=2 * HOUR, replaced=HOUR)  # before it was replaced


def test_late():
    assert rules.late(1, 1, USUAL, stands=False).holds
    assert not rules.late(0, 1, USUAL, stands=False).holds
    assert rules.late(0, 1, USUAL, stands=True).holds
    assert not rules.late(0, 0, USUAL, stands=True).holds
    ten = Limits(late=10)
    assert not rules.late(9, 9, ten, stands=False).holds
    assert rules.late(0, 5, ten, stands=True).holds
    assert not rules.late(0, 4, ten, stands=True).holds


@pytest.mark.parametrize(
    ("rows", "megabytes", "stands", "holds"),
    [
        (200_001, 0, False, True),
        (200_000, 1_000, False, False),
        (0, 1_001, False, True),
        (160_001, 0, True, True),
        (160_000, 800, True, False),
    ],
)
def test_growth(rows, megabytes, stands, holds):
    assert rules.growth(rows, megabytes * rules.MEGABYTE, USUAL, stands=stands).holds is holds


@pytest.mark.parametrize(
    ("state", "holds", "until", "then"),
    [
        (OPEN, True, None, Step()),
        (OPEN, False, None, Step(RESOLVED, closed=True)),
        (ACKNOWLEDGED, True, None, Step()),
        (ACKNOWLEDGED, False, None, Step(RESOLVED, closed=True)),
        (IGNORED, True, None, Step()),
        (IGNORED, False, None, Step()),  # for good: the next time it is ignored still
        (IGNORED, True, NOW + MINUTE, Step()),
        (IGNORED, False, NOW + MINUTE, Step()),
        (IGNORED, True, NOW, Step(OPEN)),
        (IGNORED, False, NOW, Step(RESOLVED, closed=True, silent=True)),
        (RESOLVED, True, None, Step()),
        (RESOLVED, False, None, Step(closed=True)),
    ],
)
def test_what_comes_next_by_itself(state, holds, until, then):
    assert rules.step(state, holds=holds, ignored_until=until, now=NOW) == then


def test_what_people_may_do():
    assert [to for to in (OPEN, ACKNOWLEDGED, IGNORED, RESOLVED) if rules.may_become(OPEN, to, closed=False)] == [
        ACKNOWLEDGED, IGNORED, RESOLVED,
    ]  # fmt: skip
    assert rules.may_become(RESOLVED, OPEN, closed=False)
    assert not any(rules.may_become(RESOLVED, to, closed=True) for to in (OPEN, ACKNOWLEDGED, IGNORED, RESOLVED))


def test_tries_for_most_of_a_day():
    waits = [rules.next_try(tries, NOW, 0.5) for tries in range(1, 9)]
    assert [at - NOW for at in waits[:2]] == [timedelta(seconds=10), timedelta(seconds=60)]
    assert waits[-1] is None
    assert sum(rules.AGAIN) > 20 * 3600


def test_waits_as_long_as_it_was_told_but_no_longer_than_an_hour():
    assert rules.next_try(1, NOW, 0.5, 120) == NOW + timedelta(seconds=120)
    assert rules.next_try(1, NOW, 0.5, 10**7) == NOW + HOUR


def test_reads_what_an_older_version_kept():
    limits = Limits.read({"failed": 3, "no_longer_known": 1, "off": ["quiet"]})
    assert (limits.failed, limits.watches("quiet"), limits.watches("late")) == (3, False, True)
