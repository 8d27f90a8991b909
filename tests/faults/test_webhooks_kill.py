"""Web, worker, broker, PostgreSQL and the room on the disk go away under a load of deliveries about orders.

What was answered 200 is stored, once, byte for byte; and all of it is looked at as soon as they are back.
"""

import os
import resource
import signal
import sqlite3
import threading
from collections import Counter
from contextlib import contextmanager, suppress

import psutil
import psycopg
import pytest

from tests.orders.stand import KEY
from tests.orders.stand import Supplier as Supplies
from tests.support import faults, migrated, postgres, processes
from tests.webhooks.live import SECRET, Supplier

pytestmark = pytest.mark.long
SUPPLIERS, ENOUGH, ORDERS = 6, 150, 12
SLUG = ["create_organization", "demo", "--name", "Demo", "--owner", "olive@demo.test"]
VENDOR = ["add_vendor", "--organization", "demo", "--key", "acme", "--auth", "hmac", "--secret", SECRET]
STORED = "SELECT delivery_id, body FROM webhooks_delivery"
WAITING = "SELECT count(*) FROM webhooks_delivery WHERE outcome = 'waiting'"
STATES = "SELECT reference, state FROM orders_order"
OUTCOMES = "SELECT outcome, count(*) FROM webhooks_delivery GROUP BY outcome"
PREPARE = f"""
from organizer.orders import actions
from organizer.webhooks.models import Vendor
Vendor.objects.update(rate=100000, burst=100000)
vendor = Vendor.objects.select_related("connection").get()
for number in range({ORDERS}):
    items = [actions.Item("listing-1", 2)]
    actions.place(vendor=vendor, items=items, name="Zoe", email="z@x.test", by=None, reference=f"R-{{number}}")
"""


class Installation:
    """Web and worker as they run, on a database of their own."""

    def __init__(self, folder, database: postgres.Server | None, orders_url: str):
        self.folder, self.database, self.port = folder, database, processes.free_port()
        self.env = processes.environment(FOYER_DATA=folder, FOYER_LOG_LEVEL="ERROR", FOYER_ALLOWED_HOSTS="127.0.0.1")
        if database:
            self.env["DATABASE_URL"] = f"{database.url}/foyer"
        else:
            migrated.put("dashboard", folder)
        self.url = f"http://127.0.0.1:{self.port}"
        for command in (SLUG, [*VENDOR, "--orders-url", orders_url, "--orders-key", KEY]):
            self.manage(*command)
        self.manage("shell", "-c", PREPARE)
        self.start()
        self.work()

    def manage(self, *arguments):
        command = processes.python("manage.py", *arguments)
        done = processes.start(command, env=self.env | {"FOYER_PROCESS": "command"}, log=self.folder / "manage.log")
        assert done.wait(90) == 0, (self.folder / "manage.log").read_text()[-2000:]

    def start(self):
        command = processes.granian("dashboard.wsgi:application", self.port, 8)
        self.web = processes.start(command, env=self.env, log=self.folder / "web.log")
        processes.wait_until(lambda: processes.answers(f"{self.url}/healthz"), what="the web process")

    def work(self):
        command = processes.python("-m", "celery", "-A", "dashboard", "worker", "-P", "threads", "-c", "8")
        env = self.env | {"FOYER_PROCESS": "worker", "FOYER_BEAT": "thread"}
        self.worker = processes.start(command, env=env, log=self.folder / "worker.log")

    def kill(self, process):
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)

    @contextmanager
    def without_broker(self):
        """Where its folder was stands something that no message fits into."""
        broker = self.folder / "broker"
        broker.rename(self.folder / "away")
        broker.write_text("no folder")
        try:
            yield
        finally:
            broker.unlink()
            (self.folder / "away").rename(broker)

    @contextmanager
    def without_room(self):
        """No file of the database grows, nor of web and worker: as on a full disk."""
        self.let_grow(4096)
        try:
            yield
        finally:
            self.let_grow(resource.RLIM_INFINITY)

    def let_grow(self, size):
        if self.database:
            self.database.let_grow("unlimited" if size == resource.RLIM_INFINITY else str(size))
            return
        for one in (self.web, self.worker):
            with suppress(psutil.NoSuchProcess, ProcessLookupError):
                main = psutil.Process(one.pid)
                for process in (main, *main.children(recursive=True)):
                    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def keep_alive(self):
        """As who runs the processes does."""
        if self.database:
            self.database.keep_alive()
        if self.worker.poll() is not None:
            self.work()

    def ask(self, sql):
        if self.database:
            with psycopg.connect(f"{self.database.url}/foyer") as connection:
                return connection.execute(sql).fetchall()
        with sqlite3.connect(self.folder / "foyer.sqlite3", timeout=20) as connection:
            return connection.execute(sql).fetchall()

    def stored(self):
        return [(name, bytes(body)) for name, body in self.ask(STORED)]

    def has(self, state):
        return dict(self.ask(STATES)) == {f"R-{number}": state for number in range(ORDERS)}


@contextmanager
def installation(folder, database, supplier):
    made = Installation(folder, database, supplier.url)
    try:
        yield made
    finally:
        processes.stop(made.web)
        processes.stop(made.worker, patience=1)


@pytest.fixture
def supplier(fault_server):
    return Supplies(fault_server)


@pytest.fixture(params=["sqlite", "postgresql"])
def installed(request, tmp_path, supplier):
    if request.param == "sqlite":
        with installation(tmp_path, None, supplier) as made:
            yield made
        return
    database = postgres.Server(durable=True)
    try:
        with installation(tmp_path, database, supplier) as made:
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
            name, body = f"{number}-{at}", b'{"reference": "R-%d", "number": %d}' % (at % (ORDERS + 2), at)
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

    def after(self, more, meanwhile=lambda: None):
        """Waits until so many more were answered 200."""
        enough = len(self.stored) + more
        processes.wait_until(
            lambda: meanwhile() or len(self.stored) >= enough, seconds=60, what=f"{more} more deliveries"
        )

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(30)


def test_what_was_answered_is_stored_and_looked_at(installed, supplier):
    processes.wait_until(lambda: installed.has("pending"), seconds=90, what="the orders to be placed")
    supplier.answer = lambda request, usual: faults.slow(0.3, usual)  # so that a kill finds it in the middle
    load = Load(installed.url)
    try:
        load.after(ENOUGH)
        installed.kill(installed.web)
        installed.start()
        load.after(ENOUGH)
        installed.kill(installed.worker)
        for found in supplier.orders.values():
            found["status"] = "accepted"
        load.after(ENOUGH)
        installed.work()
        if installed.database:
            load.after(ENOUGH)
            installed.database.kill()
            processes.wait_until(lambda: load.statuses[503], seconds=30, what="a 503")
            installed.database.start()
            load.after(ENOUGH)
        with installed.without_broker():
            load.after(ENOUGH)
        load.after(ENOUGH, installed.keep_alive)
        refused = load.statuses[503]
        with installed.without_room():
            processes.wait_until(lambda: load.statuses[503] > refused + SUPPLIERS, seconds=60, what="503s")
        load.after(ENOUGH, installed.keep_alive)
    finally:
        load.end()
    # far less than a lease lasts: what was being looked at when its process or database went is not waited for
    processes.wait_until(lambda: installed.ask(WAITING) == [(0,)], seconds=60, what="all of it to be looked at")
    assert installed.has("accepted")
    assert {outcome for outcome, _ in installed.ask(OUTCOMES)} == {"changed", "unchanged", "no_match"}
    stored = installed.stored()
    assert max(Counter(name for name, _ in stored).values()) == 1
    kept = dict(stored)
    assert {name: kept.get(name) for name in load.stored} == load.stored
    assert set(load.statuses) <= {200, 503}
