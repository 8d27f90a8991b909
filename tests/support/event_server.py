"""Our own event server as a process of its own: real HTTP on a free port, its own data folder and database."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from tests.support import migrated, processes

TODAY = "Cities After Dark"
_COMMANDS = """
import io, json, os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "servers.settings"
import django
django.setup()
from django.core.management import call_command
for line in sys.stdin:
    out = io.StringIO()
    try:
        call_command(*json.loads(line), stdout=out, stderr=sys.stderr)
        answer = {"out": out.getvalue()}
    except (Exception, SystemExit) as problem:
        answer = {"problem": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(answer), flush=True)
"""
"""Runs the servers' commands one after another, so that a test's key does not cost a start of Python."""


class EventServer:
    def __init__(self, *, data: Path | None = None, port: int | None = None, workers: int = 1) -> None:
        self.data = data or Path(tempfile.mkdtemp(prefix="foyer-servers-"))
        self.port = port or processes.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.data / "server.log"
        self._workers = workers
        self._env = processes.environment(FOYER_DATA=self.data, SERVERS_PORT=self.port, FOYER_LOG_LEVEL="WARNING")
        self._server: subprocess.Popen[bytes] | None = None
        self._commands: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        migrated.put("servers", self.data)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._commands:
            self._commands.communicate()

    def start(self) -> None:
        command = processes.granian("servers.wsgi:application", self.port, workers=self._workers, access_log=True)
        self._server = processes.start(command, env=self._env, log=self.log)
        processes.wait_until(lambda: processes.answers(f"{self.url}/healthz"), what=f"the event server, see {self.log}")

    def stop(self) -> None:
        """Gone for its callers; `start` brings it back on the same address with the same data."""
        if self._server:
            processes.stop(self._server)
            self._server = None

    def kill(self) -> None:
        """As the machine does it: in the middle of whatever it was at."""
        if self._server:
            os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait(10)
            self._server = None

    def answered(self) -> list[int]:
        """The status of every answer so far, from the server's own log."""
        return [int(status) for status in re.findall(r"asked (\d+) /", self.log.read_text())]

    def command(self, *arguments: str) -> str:
        """`python -m servers …`; returns what it printed."""
        if self._commands is None:
            self._commands = subprocess.Popen(
                processes.python("-c", _COMMANDS), cwd=processes.ROOT, env=self._env | {"SERVERS_PROCESS": "command"},
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log.open("a"), text=True,
            )  # fmt: skip
        assert self._commands.stdin
        assert self._commands.stdout
        self._commands.stdin.write(json.dumps(arguments) + "\n")
        self._commands.stdin.flush()
        line = self._commands.stdout.readline()
        answer = json.loads(line) if line else {"problem": self.log.read_text()[-2000:]}
        if "problem" in answer:
            raise RuntimeError(f"python -m servers {arguments[0]}: {answer['problem']}")
        return answer["out"]

    def make_key(self, organization: str, scopes: Iterable[str], limit: str | None = "100000/10") -> str:
        """A new key (and the organization, if new). `limit` is "requests/seconds"; None is the usual 60/10."""
        options = ["--organization", organization, "--scopes", ",".join(scopes)]
        return self.command("create_api_key", *options, *(["--limit", limit] if limit else [])).strip()

    def seed(self, attendees: int | None = None) -> None:
        """The organization `demo` with its events and guests, straight into the server's tables."""
        self.command("seed_demo", *(["--attendees", str(attendees)] if attendees else []))

    def begin_todays_event(self) -> None:
        """An hour ago, at whatever hour the tests run: the demo's own begins in the evening."""
        start = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
        times = [f"{at:%Y-%m-%d %H:%M:%S}" for at in (start, start + timedelta(hours=7))]
        with closing(sqlite3.connect(self.data / "servers.sqlite3", timeout=20)) as database, database:
            change = "UPDATE event_api_event SET start_at = ?, end_at = ? WHERE name = ?"
            assert database.execute(change, [*times, TODAY]).rowcount == 1
