"""`make run`, from the outside: real processes on free ports with a data folder of their own."""

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.support import migrated, processes

RUN = processes.python("-m", "deploy.run")


class Runner:
    def __init__(self) -> None:
        self.data = Path(tempfile.mkdtemp(prefix="foyer-run-"))
        self.port, self.servers_port = processes.free_port(), processes.free_port()
        self.env = processes.environment(FOYER_DATA=self.data, PORT=self.port, SERVERS_PORT=self.servers_port)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, empty: bool = False) -> None:
        """On tables that are there, or from nothing."""
        if not empty:
            migrated.put("dashboard", self.data)
            migrated.put("servers", self.data)
        self.process = processes.start(RUN, env=self.env, log=self.data / "run.log")
        processes.wait_until(lambda: "Ctrl-C ends it" in self.said(), seconds=90, what=f"the greeting: {self.said()}")

    def again(self, **changes: str | int) -> subprocess.CompletedProcess[str]:
        env = self.env | {name: str(value) for name, value in changes.items()}
        return subprocess.run(RUN, cwd=processes.ROOT, env=env, capture_output=True, text=True, timeout=30, check=False)

    def said(self) -> str:
        log = self.data / "run.log"
        return log.read_text() if log.exists() else ""

    def family(self) -> list[psutil.Process]:
        """Every process that was started for this data folder."""
        return [process for process in psutil.process_iter() if _of(process) == str(self.data) and _alive(process)]

    def named(self, part: str) -> psutil.Process:
        return next(process for process in self.family() if part in " ".join(process.cmdline()))


def _of(process: psutil.Process) -> str:
    try:
        return process.environ().get("FOYER_DATA", "")
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return ""


def _alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@pytest.fixture
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    if runner.process:
        processes.stop(runner.process)  # first: it starts again what ends
    for process in runner.family():
        with suppress(psutil.NoSuchProcess):
            process.kill()
    shutil.rmtree(runner.data, ignore_errors=True)


def test_starts_everything_and_ends_it_within_three_seconds(runner):
    runner.start(empty=True)
    assert processes.answers(f"http://127.0.0.1:{runner.port}/healthz")
    assert processes.answers(f"http://127.0.0.1:{runner.servers_port}/healthz")
    password = (runner.data / "demo-password").read_text().strip()
    assert "owner@demo.test" in runner.said()
    assert password in runner.said()

    second = runner.again()
    assert second.returncode != 0
    assert f"already running on {runner.data}" in second.stderr

    runner.named("celery").kill()
    processes.wait_until(lambda: "worker ended with -9; starting it again" in runner.said(), what="the restart")
    processes.wait_until(lambda: any("celery" in " ".join(each.cmdline()) for each in runner.family()), what="a worker")

    os.kill(runner.process.pid, signal.SIGINT)
    runner.process.wait(3)
    assert runner.family() == []
    assert not re.search("evt_live_|sup_live_|whsec_", runner.said())


def test_orders_of_the_demo_move_by_themselves(runner):
    runner.start()
    database = f"file:{runner.data / 'foyer.sqlite3'}?mode=ro"

    def asked(sql):
        with sqlite3.connect(database, uri=True) as open_database:
            return open_database.execute(sql).fetchall()

    fulfilled = "SELECT count(DISTINCT vendor_id) FROM orders_order WHERE state = 'fulfilled'"
    processes.wait_until(lambda: asked(fulfilled) == [(3,)], seconds=120, what="an order of each supplier to be done")
    woken = "SELECT count(*) FROM webhooks_reconciliation WHERE cause = 'webhook' AND outcome = 'changed'"
    assert asked(woken)[0][0] >= 3
    assert asked("SELECT count(*) FROM webhooks_delivery WHERE outcome = 'no_match'") == [(0,)]


def test_leaves_nothing_when_it_is_killed_outright(runner):
    runner.start()
    runner.process.kill()
    processes.wait_until(lambda: not runner.family(), seconds=10, what="the family to end")
    assert not processes.answers(f"http://127.0.0.1:{runner.port}/healthz")
    assert not processes.answers(f"http://127.0.0.1:{runner.servers_port}/healthz")


@pytest.mark.parametrize("name", ["PORT", "SERVERS_PORT"])
def test_says_that_a_port_is_taken(runner, name):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = runner.again(**{name: port})
    assert done.returncode != 0
    assert f"Port {port} is not free" in done.stderr
    assert f"{name}={port + 100} make run" in done.stderr
