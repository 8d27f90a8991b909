"""An installation of its own, driven from the outside as its operator does."""

import re
import signal
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tests.support import processes

KEY = "evt_live_" + "Kq7-" * 10 + "end"
PASSWORD = "a demo of great length"
KILLED = """
import os, signal, sys
left, watched = int(sys.argv[1]), sys.argv[2].split(",")
def watch(event, arguments):
    global left
    if event in watched:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.argv = ["manage.py", *sys.argv[3:]]
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
from django.core.management import execute_from_command_line
sys.addaudithook(watch)
execute_from_command_line(sys.argv)
"""
"""A command that is killed outright right before it does the n-th of something."""
FURNISH = f"""
import django
django.setup()
from organizer.accounts.models import Organization
from organizer.connections import actions
demo = Organization.objects.get(slug="demo")
actions.add(organization=demo, service="events", url="http://127.0.0.1:9", key={KEY!r}, by=None)
"""
LOOK = f"""
import django
django.setup()
from django.test import Client
from organizer.connections.models import Connection
from organizer.connections import queries, vault
def key(connection):
    try:
        return "opens" if vault.opened(connection) == {KEY!r} else "another"
    except vault.CouldNotOpen:
        return "locked"
asked = Client().post("/accounts/login/", {{"login": "owner@demo.test", "password": {PASSWORD!r}}})
print("signed in" if asked.status_code == 302 else asked.status_code, *map(key, Connection.objects.all()))
"""


@dataclass
class Installation:
    data: Path
    env: dict[str, str] = field(default_factory=dict)

    def prepare(self) -> None:
        assert self._run("-m", "deploy.prepare", "dashboard").returncode == 0
        assert self._run("-c", FURNISH).returncode == 0

    def manage(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return self._run("manage.py", *map(str, words))

    def killed(self, number: int, event: str, *words: str | Path) -> bool:
        """Whether it came so far as to be killed."""
        done = self._run("-c", KILLED, str(number), event, *map(str, words))
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode != 0

    def look(self) -> str:
        """Whether its owner can sign in, and what became of the stored keys."""
        done = self._run("-c", LOOK)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def change(self) -> None:
        """Something happens after the backup: on both sides, and to the ring."""
        with closing(sqlite3.connect(self.data / "foyer.sqlite3", isolation_level=None)) as rows:
            rows.execute("UPDATE accounts_organization SET name = 'after'")
        with closing(sqlite3.connect(self.data / "servers.sqlite3", isolation_level=None)) as rows:
            rows.execute("UPDATE kept SET what = 'after'")
        assert self.manage("rotate_encryption_key").returncode == 0

    def state(self) -> tuple[str, str, int]:
        """The organization's name, the servers' word, and how many keys there are."""
        found = []
        for file, asked in (("foyer", "SELECT name FROM accounts_organization"), ("servers", "SELECT what FROM kept")):
            with closing(sqlite3.connect(f"file:{self.data / file}.sqlite3?mode=ro", uri=True)) as rows:
                found.append(str(rows.execute(asked).fetchone()[0]))
        return found[0], found[1], len(re.findall(":", (self.data / "secrets.toml").read_text()))

    def left_over(self) -> list[str]:
        kinds = ("restore*", "replaced-*", ".restore*", ".backup*")
        return sorted(path.name for kind in kinds for path in self.data.glob(kind))

    def start(self, code: str, log: Path) -> "subprocess.Popen[bytes]":
        return processes.start(processes.python("-c", code), env=self.environment(), log=log)

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            processes.python(*words),
            cwd=processes.ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )

    def environment(self, **changes: Path) -> dict[str, str]:
        told = {"FOYER_DATA": str(self.data), "FOYER_PROCESS": "command", "FOYER_DEMO_PASSWORD": PASSWORD}
        return processes.environment(**told, DJANGO_SETTINGS_MODULE="dashboard.settings") | {
            **self.env,
            **{name: str(value) for name, value in changes.items()},
        }
