"""The schedule goes on whatever happens to the disk and to the clock."""

import resource
import shelve
from datetime import timedelta

import pytest

from dashboard.celery import app
from dashboard.schedule import Schedule
from tests.support import processes


@pytest.fixture
def schedule(tmp_path):
    kept = Schedule(app=app, schedule_filename=str(tmp_path / "schedule"), max_interval=300)
    yield kept
    kept.close()


def runs(schedule):
    return {name: entry.total_run_count for name, entry in schedule.schedule.items()}


def test_is_what_the_worker_runs():
    assert app.conf.beat_scheduler == f"{Schedule.__module__}:{Schedule.__name__}"


def test_goes_on_without_room_and_is_stored_when_there_is_some(schedule, tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    schedule.schedule["pulse"].total_run_count = 7
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        schedule.sync()
        assert schedule.schedule["pulse"].total_run_count == 7
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    schedule.sync()
    with shelve.open(str(tmp_path / "schedule"), "r") as stored:  # noqa: S301 our own file
        assert stored["entries"]["pulse"].total_run_count == 7


def test_goes_on_when_the_clock_was_set_back(schedule):
    """All of it, and not only what happens to run first."""
    schedule.tick()
    for entry in schedule.schedule.values():
        entry.last_run_at = app.now() + timedelta(hours=2)
    schedule._heap = None
    before = runs(schedule)
    both = {"send-due", "sweep-due"}
    processes.wait_until(lambda: ticked(schedule, before) >= both, seconds=10, what="both to run")
    assert all(entry.last_run_at <= app.now() for name, entry in schedule.schedule.items() if name in both)


def ticked(schedule, before):
    """What ran since then."""
    schedule.tick()
    return {name for name, number in runs(schedule).items() if number > before[name]}
