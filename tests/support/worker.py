"""A dashboard of its own, with a real Celery worker: what a test kills, starts again and asks."""

import os
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any, Self

from tests.support import migrated, processes


class Installation:
    """Its own data folder and database on SQLite, and the worker as `make run` starts it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.log = data / "worker.log"
        self._env = processes.environment(FOYER_DATA=data, FOYER_LOG_LEVEL="WARNING", FOYER_PROCESS="command")
        self._worker: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        migrated.put("dashboard", self.data)
        return self

    def __exit__(self, *_: object) -> None:
        if self._worker:
            self.kill_worker()  # a warm shutdown would take seconds of every test

    def manage(self, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            processes.python("manage.py", *arguments), cwd=processes.ROOT, env=self._env, input=stdin,
            capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"manage.py {arguments[0]}: {done.stderr[-2000:]}")
        return done.stdout

    def connect(self, url: str, key: str) -> None:
        self.manage("create_organization", "demo", "--name", "Demo", "--owner", "olive@demo.test")
        self.manage("connect", "--organization", "demo", "--service", "events", "--url", url, stdin=key)

    def start_worker(self) -> None:
        options = ["-P", "threads", "-c", "8", "--without-gossip", "--without-mingle"]
        command = processes.python("-m", "celery", "-A", "dashboard", "worker", *options)
        self._worker = processes.start(
            command, env=self._env | {"FOYER_PROCESS": "worker", "FOYER_BEAT": "thread"}, log=self.log
        )

    def kill_worker(self) -> None:
        """As the machine does it: no goodbye."""
        assert self._worker
        os.killpg(self._worker.pid, signal.SIGKILL)
        self._worker.wait(10)
        self._worker = None

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.data / "foyer.sqlite3", timeout=20)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()
