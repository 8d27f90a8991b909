"""Web and worker are killed while a file becomes guests: each row is at the provider once, and none is lost."""

import os
import sqlite3
import threading
from collections import Counter
from io import BytesIO
from pathlib import Path
from uuid import UUID

import httpx
import openpyxl
import pytest
from django.db import connection

from bench.visitor import signed_in
from organizer.imports.reading import MOST_ROWS
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import NoLimit
from organizer.upstream.transport import Transport
from tests.support import postgres, processes
from tests.support.stack import SCOPES, Stack

pytestmark = pytest.mark.long
ROWS = 420
"""That become guests. A file has many more, so that reading it and making a slice take a while."""
EVENT = {
    "name": "Midsummer",
    "start": {"utc": "2031-06-21T18:00:00Z", "timezone": "Europe/Berlin"},
    "end": {"utc": "2031-06-21T23:00:00Z", "timezone": "Europe/Berlin"},
    "location": "By the lake",
    "capacity": 9_000,
}
DONE = "SELECT count(*) FROM sync_command WHERE state = 'done'"
EXPANDED = "SELECT expanded FROM sync_batch"
BUSY = 0.15
"""Seconds of computing after which a process that was idle is in the middle of something."""


@pytest.fixture
def stack(transactional_db):
    """On the database of this run, but one of its own. The provider has one event, which has no guests."""
    if connection.vendor == "postgresql":
        with postgres.another(connection.settings_dict) as url, Stack(connected=False, database=url) as stack:
            yield furnished(stack)
    else:
        with Stack(connected=False) as stack:
            yield furnished(stack)


def furnished(stack):
    stack.key = stack.event_server.make_key("midsummer", SCOPES)
    url = f"{stack.event_server.url}/api/v1"
    api = EventApi(Transport(url, stack.key, limiter=NoLimit(), allow_private=True))
    api.events.create(EVENT, idempotency_key="event")
    stack.connect()
    known = "SELECT count(*) FROM events_ticketclass WHERE remote_id IS NOT NULL"
    processes.wait_until(lambda: stack.ask(known) == 1, what="the event and its class")
    return stack


class Person:
    def __init__(self, stack):
        self.stack, self.browser = stack, signed_in(stack.url)

    def post(self, path, form, files=None):
        """The answer, or None where none came."""
        form = {"csrfmiddlewaretoken": self.browser.cookies["foyer_csrf"], **form}
        said = {"Referer": self.stack.url}
        try:
            return self.browser.post(f"/o/demo/{path}", data=form, files=files, headers=said, follow_redirects=False)
        except httpx.HTTPError:
            return None

    def post_and_kill(self, path, form, files=None):
        """The web process is killed once it is at work upon it; answers what the person was told."""
        told, before = [], computed(self.stack, "web")
        thread = threading.Thread(target=lambda: told.append(self.post(path, form, files)))
        thread.start()
        processes.wait_until(lambda: told or computed(self.stack, "web") - before >= BUSY, what="the web process")
        self.stack.kill("web")
        thread.join(30)
        self.stack.again("web")
        processes.wait_until(lambda: processes.answers(f"{self.stack.url}/healthz"), what="the web process again")
        return told[0]


def computed(stack, name):
    """Seconds that a program's processes have computed so far."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended meanwhile
        if int(fields[2]) == stack.pid(name):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def workbook():
    book, file = openpyxl.Workbook(write_only=True), BytesIO()
    sheet = book.create_sheet()
    sheet.append(["email", "name", "note"])
    for number in range(MOST_ROWS):
        email = address(number) if number < ROWS else "has none"
        sheet.append([email, f"Guest {number}", "What a person wrote down of them, at some length"])
    book.save(file)
    return file.getvalue()


def address(number):
    return f"guest{number}@file.test"


def at_the_provider(stack):
    ours = "SELECT email FROM event_api_attendee WHERE email LIKE '%@file.test'"
    with sqlite3.connect(stack.data / "servers.sqlite3", timeout=20) as database:
        return Counter(email for (email,) in database.execute(ours))


def latest(stack):
    return UUID(str(stack.ask("SELECT id FROM imports_import ORDER BY created_at DESC LIMIT 1")))


def test_loses_no_row_and_makes_none_twice(stack):
    person = Person(stack)
    event = UUID(str(stack.ask("SELECT id FROM events_event WHERE remote_id IS NOT NULL")))
    taken = "SELECT count(*) FROM imports_import"

    file = {"file": ("guests.xlsx", workbook())}
    told = person.post_and_kill(f"events/{event}/import/", {}, file)
    assert told is None
    assert stack.ask(taken) == stack.ask("SELECT count(*) FROM accounts_auditentry WHERE verb = 'import.take'") == 0

    assert person.post(f"events/{event}/import/", {}, file).status_code == 302
    found = latest(stack)
    columns = {"column-0": "email", "column-1": "name", "column-2": "", "status": "valid"}
    columns["ticket_class"] = stack.ask("SELECT remote_id FROM events_ticketclass")
    assert person.post(f"imports/{found}/columns/", columns).status_code == 302

    stack.kill("worker")
    person.post_and_kill(f"imports/{found}/start/", {})
    assert person.post(f"imports/{found}/start/", {}).status_code == 302  # as people do who were told nothing
    assert stack.rows("SELECT total, expanded FROM sync_batch") == [(ROWS, 0)]

    stack.again("worker")
    processes.wait_until(lambda: stack.ask(EXPANDED) > 0, what="the first slice")
    stack.kill("worker")
    made = stack.ask(EXPANDED)
    assert 0 < made < ROWS
    for table in ("attendees_attendee", "sync_command"):
        assert stack.ask(f"SELECT count(*) FROM {table}") == made  # noqa: S608  a slice is whole, or not there
    stack.again("worker")
    processes.wait_until(lambda: stack.ask(DONE) >= ROWS // 4, seconds=60, what="the first to be made")
    stack.kill("worker")
    stack.again("worker")
    processes.wait_until(lambda: stack.ask(DONE) == ROWS, seconds=120, what="all to be made")

    assert at_the_provider(stack) == Counter(address(number) for number in range(ROWS))
    assert stack.rows("SELECT state, count(*) FROM sync_command GROUP BY state") == [("done", ROWS)]
    here = stack.rows("SELECT email, count(DISTINCT remote_id) FROM attendees_attendee GROUP BY email")
    assert sorted(here) == sorted((address(number), 1) for number in range(ROWS))
    assert stack.guests() == ROWS
