"""Killed between a transition and its notification: both are there, or neither; told at least once, under one id."""

import os
import signal
import sqlite3
from contextlib import nullcontext

import psycopg
import pytest
from django.db import connection

from tests.support import migrated, postgres, processes
from tests.support.faults import Answer

pytestmark = pytest.mark.long
PATH = "/alerts"
SLUG = ["create_organization", "demo", "--name", "Demo", "--owner", "olive@demo.test"]
BEGIN = """
import os, signal
from django.db import transaction
from django.utils import timezone
from organizer.accounts.models import Organization, User
from organizer.alerts import actions, sending, watching
from organizer.webhooks import actions as webhooks
from tests.support import alerts
def die():
    os.kill(os.getpid(), signal.SIGKILL)
demo = Organization.objects.get(slug="demo")
vendor = demo.vendors.first() or webhooks.add_vendor(
    organization=demo, key="acme", name="", auth="ip", allowed=["127.0.0.1"], by=None)
now = timezone.now()
"""
HOOK = """
actions.choose_mails(organization=demo, wanting=[], by=User.objects.get())
alerts.hooked(demo, User.objects.get(), "{url}")
"""
TABLES = ("alerts_alert", "alerts_move", "alerts_sending")
WRITTEN = f"SELECT {', '.join(f'(SELECT count(*) FROM {table})' for table in TABLES)}"  # noqa: S608


class Installation:
    """A database of its own, of the kind of this run, and programs on it that may be killed."""

    def __init__(self, folder, database):
        self.folder, self.database = folder, database
        self.env = processes.environment(FOYER_DATA=folder, FOYER_LOG_LEVEL="ERROR", FOYER_PROCESS="worker")
        self.env |= {"FOYER_ALLOW_PRIVATE_ADDRESSES": "1", "PYTHONPATH": str(processes.ROOT)}
        if database:
            self.env["DATABASE_URL"] = database
        else:
            migrated.put("dashboard", folder)
        assert self.start(*SLUG).wait(120) == 0

    def start(self, *arguments):
        return processes.start(processes.python("manage.py", *arguments), env=self.env, log=self.folder / "manage.log")

    def does(self, program):
        """How it ended."""
        return self.start("shell", "-c", BEGIN + program).wait(120)

    def ask(self, sql):
        if self.database:
            with psycopg.connect(self.database) as database:
                return database.execute(sql).fetchall()
        with sqlite3.connect(self.folder / "foyer.sqlite3") as database:
            return database.execute(sql).fetchall()


@pytest.fixture
def installed(tmp_path, transactional_db):
    beside = postgres.another(connection.settings_dict) if connection.vendor == "postgresql" else nullcontext("")
    with beside as database:
        yield Installation(tmp_path, database)


def test_tells_what_was_committed_and_nothing_else(installed, fault_server):
    killed = []

    def taken_and_killed(_request):
        """The receiver has it, and the sender dies before it knows."""
        if not killed:
            killed.append(True)
            os.killpg(running.pid, signal.SIGKILL)
        return Answer(204)

    fault_server.by(PATH, taken_and_killed)
    assert installed.does(HOOK.format(url=fault_server.url + PATH)) == 0

    assert installed.does("with transaction.atomic():\n    alerts.opened(vendor)\n    die()") == -signal.SIGKILL
    assert installed.ask(WRITTEN) == [(0, 0, 0)]

    assert installed.does("alerts.opened(vendor)\ndie()") == -signal.SIGKILL
    assert installed.ask(WRITTEN) == [(1, 1, 1)]
    assert fault_server.requests == []

    running = installed.start("shell", "-c", BEGIN + "sending.drain(demo.pk)")
    assert running.wait(120) == -signal.SIGKILL
    assert installed.ask("SELECT state, tries FROM alerts_sending") == [("waiting", 0)]

    assert installed.does("sending.recover(now)\nsending.drain(demo.pk)") == 0
    first, second = fault_server.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert installed.ask("SELECT state, tries FROM alerts_sending") == [("sent", 1)]
    assert sorted(took is None for (took,) in installed.ask("SELECT took FROM alerts_attempt")) == [False, True]
