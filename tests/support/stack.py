"""The whole of Foyer as processes, each of which a test may stop: event server, web and worker on the demo's data."""

import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import psycopg

from deploy import suppliers
from organizer.webhooks.receiver.signatures import sign
from tests.support import migrated, processes
from tests.support.event_server import EventServer
from tests.webhooks.live import Supplier

SUPPLIERS_SECRET = "a secret that a supplier was given"
BY_HAND, BY_ITSELF = "platzwerk", "norrtix"
"""Of the demo's suppliers that orders are placed at: whose orders an operator moves, and whose move by themselves."""
PASSWORD = "a demo of great length"
SCOPES = (
    "events:read",
    "events:write",
    "ticket_classes:read",
    "ticket_classes:write",
    "attendees:read",
    "attendees:write",
)


class Stack:
    """`limit` is the key's; `database` a PostgreSQL address for the dashboard, SQLite without it. Both are migrated."""

    def __init__(
        self,
        *,
        attendees: int | None = None,
        connected: bool = True,
        workers: int = 1,
        limit: str | None = None,
        database: str = "",
    ) -> None:
        self.data = Path(tempfile.mkdtemp(prefix="foyer-stack-"))
        self.port = processes.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        os.environ["FOYER_DEMO_PASSWORD"] = PASSWORD
        self.event_server = EventServer(data=self.data)
        self.key = ""
        self._attendees, self._connected, self._workers = attendees, connected, workers
        self._limit, self._database = limit, database
        self._env = processes.environment(
            FOYER_DATA=self.data, PORT=self.port, SERVERS_PORT=self.event_server.port, FOYER_LOG_LEVEL="INFO",
            FOYER_PUBLIC_URL=self.url, FOYER_ALLOW_PRIVATE_ADDRESSES=1,
        ) | ({"DATABASE_URL": database} if database else {})  # fmt: skip
        self._commands: dict[str, tuple[list[str], dict[str, str]]] = {}
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        migrated.put("servers", self.data)
        if not self._database:
            migrated.put("dashboard", self.data)
        with ThreadPoolExecutor() as both:
            list(both.map(self._prepare, ("dashboard", "servers")))
        self.event_server.start()
        if self._attendees:
            self.event_server.seed(self._attendees)
        self.event_server.begin_todays_event()
        if self._connected:
            self.key = self.event_server.make_key("demo", SCOPES, limit=self._limit)
            self.connect()
        self._start("web", processes.granian("dashboard.wsgi:application", self.port, threads=8))
        celery = ["-m", "celery", "-A", "dashboard", "--quiet", "worker", "-P", "threads", "-c", "8", "-l", "warning"]
        for number in range(self._workers):
            beat = "" if number else "thread"
            self._start(f"worker{number or ''}", processes.python(*celery), FOYER_PROCESS="worker", FOYER_BEAT=beat)
        self._start("work", processes.python("-m", "servers", "work"))
        processes.wait_until(lambda: processes.answers(f"{self.url}/healthz"), what=f"the dashboard, see {self.data}")
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._running.values()):
            processes.stop(process)
        self.event_server.__exit__()
        shutil.rmtree(self.data, ignore_errors=True)

    def connect(self) -> None:
        to = ["--organization", "demo", "--service", "events", "--url", f"{self.event_server.url}/api/v1"]
        self._run(processes.python("manage.py", "connect", *to), told=self.key)

    def take_deliveries(self) -> None:
        """Two suppliers, and what they send over HTTP: stored, repeated, told by the old secret, refused."""
        for key, more in (("acme", ["--auth", "hmac", "--secret-stdin"]), ("tessera", ["--auth", "ip"])):
            allowed = ["--allow", "127.0.0.1"] if key == "tessera" else []
            command = ["manage.py", "add_vendor", "--organization", "demo", "--key", key, *more, *allowed]
            self._run(processes.python(*command), told=SUPPLIERS_SECRET)
        acme = Supplier(self.url, secret=SUPPLIERS_SECRET)
        for number, event in enumerate(("order.placed", "order.accepted", "order.accepted", "")):
            order = b'{"event": "%s", "reference": "R-%d", "id": "x"}' % (event.encode(), number)
            acme.sends(order, X_Webhook_Id=f"id-{number}")
        acme.sends(b'{"event": "order.accepted", "reference": "R-1", "id": "y"}', X_Webhook_Id="id-1")
        acme.sends(b'{"event": "ping"}')
        acme.posts(b"{}", {"X-Hub-Signature-256": sign(b"{}", SUPPLIERS_SECRET)})
        acme.posts(b"{}", {"X-Vendor-Signature": "0" * 64})
        Supplier(self.url, "tessera").posts(b"reference=T-1&event=order.shipped")
        repeated = "SELECT count(*) FROM webhooks_delivery WHERE duplicates > 0 AND CAST(flags AS text) LIKE '%reused%'"
        processes.wait_until(lambda: self.ask(repeated) == 1, what="the repetition to be counted")
        self._have_an_alert()

    def _have_an_alert(self) -> None:
        """More is refused in an hour than is usual, and the worker has seen it."""
        program = """
from organizer.alerts import tasks
of = Vendor.objects.get(key="acme").pk.hex
Tally.objects.create(of=of, minute=timezone.now(), reason="rate_limited", number=40)
tasks.look()
"""
        self.run("manage.py", "shell", "-c", program)
        alert = "SELECT count(*) FROM alerts_alert"
        processes.wait_until(lambda: self.ask(alert) == 1, what="an alert")

    def take_orders(self) -> None:
        """Orders at two of our own suppliers, in every state that one leads to; nothing is under way any more."""
        self.introduce(BY_HAND, "--no-moves")
        self.introduce(BY_ITSELF, "--moves", "--step", "0", "--reject-each", "3")
        self.run("manage.py", "demo_orders", "--each", "3")
        still = "SELECT count(*) FROM orders_order WHERE state NOT IN ('pending', 'fulfilled', 'rejected')"
        there = "SELECT count(*) FROM orders_ticket WHERE fetched_at IS NOT NULL"
        gone_on = "SELECT count(*) FROM orders_order WHERE state IN ('fulfilled', 'rejected')"
        processes.wait_until(lambda: self.ask(gone_on) == 3, seconds=60, what="orders that move by themselves")
        processes.wait_until(lambda: not self.ask(still) and self.ask(there), what="orders at rest, with their tickets")
        waiting = "SELECT count(*) FROM webhooks_delivery WHERE outcome = 'waiting'"
        processes.wait_until(lambda: not self.ask(waiting), what="deliveries to be settled")

    def introduce(self, key: str, *options: str) -> None:
        """One of the demo's suppliers to the dashboard; `options` say how its orders move."""
        make, keep = suppliers.commands(key, retail_url=self.url, servers_url=self.event_server.url)
        told = self.event_server.command(*make, *options)
        self._run(processes.python("manage.py", *keep), told=told)

    def guests(self) -> int:
        return self.ask("SELECT count(*) FROM attendees_attendee")

    def ask(self, sql: str) -> Any:
        return self.rows(sql)[0][0]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        if self._database:
            with psycopg.connect(self._database) as database:
                return database.execute(sql).fetchall()  # type: ignore[arg-type]
        with sqlite3.connect(f"file:{self.data / 'foyer.sqlite3'}?mode=ro", uri=True) as database:
            return database.execute(sql).fetchall()

    def wait_for_guests(self, number: int = 2000, seconds: float = 60) -> None:
        processes.wait_until(lambda: self.guests() >= number, seconds=seconds, what=f"{number} guests")
        done = "SELECT count(*) FROM sync_sweep WHERE page > 0 OR missing"
        processes.wait_until(lambda: self.ask(done) == 0, seconds=seconds, what="all sweeps at rest")

    def _prepare(self, side: str) -> None:
        self._run(processes.python("-m", "deploy.prepare", side))

    def kill(self, name: str) -> None:
        """As the machine does it: no goodbye."""
        process = self._running.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)

    def pid(self, name: str) -> int:
        """Of the process, and of the group of all that it started."""
        return self._running[name].pid

    def again(self, name: str) -> None:
        command, env = self._commands[name]
        self._running[name] = processes.start(command, env=env, log=self.data / f"{name}.log")

    def _start(self, name: str, command: list[str], **more: str) -> None:
        self._commands[name] = command, self._env | {"FOYER_PROCESS": name} | more
        self.again(name)

    def run(self, *command: str) -> str:
        """A program of ours beside the running ones, on the same data; what it says."""
        return self._run(processes.python(*command))

    def _run(self, command: list[str], told: str = "") -> str:
        done = subprocess.run(
            command, cwd=processes.ROOT, env=self._env | {"FOYER_PROCESS": "command"}, input=told,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{' '.join(command[1:4])}: {done.stdout}{done.stderr}")
        return done.stdout
