"""Web and PostgreSQL are killed under a load of deliveries: what was answered 200 is stored, once, byte for byte."""

import os
import signal
import sqlite3
import threading
from collections import Counter
from contextlib import contextmanager

import psycopg
import pytest

from tests.support import postgres, processes
from tests.webhooks.live import SECRET, Supplier

pytestmark = pytest.mark.long
SUPPLIERS, ENOUGH = 6, 150
SLUG = ["create_organization", "demo", "--name", "Demo", "--owner", "olive@demo.test"]
VENDOR = ["add_vendor", "--organization", "demo", "--key", "acme", "--auth", "hmac", "--secret", SECRET]
STORED = "SELECT delivery_id, body FROM webhooks_delivery"


class Installation:
    """The web process as it runs, on a database of its own."""

    def __init__(self, folder, database: postgres.Server | None):
        self.folder, self.database, self.port = folder, database, processes.free_port()
        self.env = processes.environment(FOYER_DATA=folder, FOYER_LOG_LEVEL="ERROR", FOYER_ALLOWED_HOSTS="127.0.0.1")
        if database:
            self.env["DATABASE_URL"] = f"{database.url}/foyer"
        self.url = f"http://127.0.0.1:{self.port}"
        for command in (["migrate", "--no-input"], SLUG, VENDOR):
            self.manage(*command)
        self.manage("shell", "-c", "from organizer.webhooks.models import Vendor\n"
                    "Vendor.objects.update(rate=100000, burst=100000)")  # fmt: skip
        self.start()

    def manage(self, *arguments):
        command = processes.python("manage.py", *arguments)
        done = processes.start(command, env=self.env | {"FOYER_PROCESS": "command"}, log=self.folder / "manage.log")
        assert done.wait(90) == 0, (self.folder / "manage.log").read_text()[-2000:]

    def start(self):
        command = processes.granian("dashboard.wsgi:application", self.port, 8)
        self.web = processes.start(command, env=self.env, log=self.folder / "web.log")
        processes.wait_until(lambda: processes.answers(f"{self.url}/healthz"), what="the web process")

    def kill(self):
        os.killpg(self.web.pid, signal.SIGKILL)
        self.web.wait(10)

    def stored(self):
        if self.database:
            with psycopg.connect(f"{self.database.url}/foyer") as connection:
                rows = connection.execute(STORED).fetchall()
        else:
            with sqlite3.connect(self.folder / "foyer.sqlite3") as connection:
                rows = connection.execute(STORED).fetchall()
        return [(name, bytes(body)) for name, body in rows]


@contextmanager
def installation(folder, database):
    made = Installation(folder, database)
    try:
        yield made
    finally:
        processes.stop(made.web)


@pytest.fixture(params=["sqlite", "postgresql"])
def installed(request, tmp_path):
    if request.param == "sqlite":
        with installation(tmp_path, None) as made:
            yield made
        return
    database = postgres.Server(durable=True)
    try:
        with installation(tmp_path, database) as made:
            yield made
    finally:
        database.stop()


class Load:
    """Suppliers that send, and where no answer came send the same again under its id."""

    def __init__(self, url):
        self.url, self.over = url, threading.Event()
        self.stored, self.statuses, self.lock = {}, Counter(), threading.Lock()
        self.threads = [threading.Thread(target=self.send, args=(number,)) for number in range(SUPPLIERS)]
        for thread in self.threads:
            thread.start()

    def send(self, number):
        supplier, at = Supplier(self.url), 0
        while not self.over.is_set():
            name, body = f"{number}-{at}", b'{"reference": "R%d-%d"}' % (number, at)
            try:
                said = supplier.sends(body, X_Webhook_Id=name)
            except (OSError, ValueError, IndexError):
                self.over.wait(0.05)  # nobody is there, or the answer was cut
                continue
            with self.lock:
                self.statuses[said.status] += 1
            if said.status == 200:
                with self.lock:
                    self.stored[name] = body
                at += 1

    def after(self, more):
        """Waits until so many more were answered 200."""
        begun = len(self.stored)
        processes.wait_until(lambda: len(self.stored) >= begun + more, seconds=60, what=f"{more} more deliveries")

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(30)


def test_what_was_answered_is_stored(installed):
    load = Load(installed.url)
    try:
        load.after(ENOUGH)
        installed.kill()
        installed.start()
        load.after(ENOUGH)
        if installed.database:
            installed.database.kill()
            processes.wait_until(lambda: load.statuses[503], seconds=30, what="a 503")
            installed.database.start()
            load.after(ENOUGH)
    finally:
        load.end()
    stored = installed.stored()
    assert max(Counter(name for name, _ in stored).values()) == 1
    kept = dict(stored)
    assert {name: kept.get(name) for name in load.stored} == load.stored
    assert set(load.statuses) <= {200, 503}
