"""Web, worker and event server are killed in turn while 500 decisions go out: none is lost, none is doubled."""

import sqlite3
import threading
from collections import Counter
from uuid import UUID

import httpx
import pytest
from django.db import connection

from bench.visitor import signed_in
from tests.support import postgres, processes
from tests.support.stack import Stack

pytestmark = pytest.mark.long
SINGLY, AT_ONCE = 60, 440
ALL = SINGLY + AT_ONCE
DONE = "SELECT count(*) FROM sync_command WHERE state = 'done'"
BULK = f"""
from organizer.accounts.models import Organization, User
from organizer.attendees import actions
from organizer.attendees.models import Attendee
demo, by = Organization.objects.get(slug="demo"), User.objects.get(email="owner@demo.test")
chosen = list(Attendee.objects.filter(status="valid").order_by("pk").values_list("pk", flat=True)[:{AT_ONCE}])
actions.decide_about_many(organization=demo, ids=chosen, kind="return", by=by, params={{"notify_guest": True}})
"""


@pytest.fixture
def stack(transactional_db):
    """On the database of this run, but one of its own."""
    if connection.vendor == "postgresql":
        beside = postgres.another(connection.settings_dict)
        with beside as url, Stack(limit="100000/10", workers=2, database=url) as stack:
            yield stack
    else:
        with Stack(limit="100000/10", workers=2) as stack:
            yield stack


class Person:
    """Decides about one guest after the other; where no answer came, as people do: once more."""

    def __init__(self, stack, guests):
        self.stack, self.guests, self.accepted = stack, guests, []
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        browser = signed_in(self.stack.url)
        for guest in self.guests:
            processes.wait_until(lambda guest=guest: self.decide(browser, guest), what=f"an answer about {guest}")
            self.accepted.append(guest)

    def decide(self, browser, guest):
        form = {"seen": "valid", "notify_guest": "on", "csrfmiddlewaretoken": browser.cookies["foyer_csrf"]}
        try:
            answer = browser.post(
                f"/o/demo/guests/{guest}/decide/return/", data=form, headers={"Referer": self.stack.url}, timeout=5,
                follow_redirects=False,
            )  # fmt: skip
        except httpx.HTTPError:
            return False
        return answer.status_code in (200, 302, 409)


def mails(stack):
    with sqlite3.connect(stack.data / "servers.sqlite3", timeout=20) as database:
        return Counter(to for (to,) in database.execute('SELECT "to" FROM mail_outgoingmail'))


def test_loses_nothing_and_doubles_nothing(stack):
    stack.wait_for_guests()
    before = mails(stack)
    stack.run("manage.py", "shell", "-c", BULK)
    processes.wait_until(
        lambda: stack.ask("SELECT count(*) FROM sync_command") == AT_ONCE, what="a command for each of them"
    )
    one_by_one = stack.rows(f"SELECT id FROM attendees_attendee WHERE status = 'valid' ORDER BY id LIMIT {SINGLY}")  # noqa: S608
    person = Person(stack, [UUID(str(one)) for (one,) in one_by_one])
    processes.wait_until(lambda: len(person.accepted) >= SINGLY // 3, what="the first decisions")
    stack.kill("web")
    stack.again("web")
    processes.wait_until(lambda: stack.ask(DONE) >= 50, seconds=180, what="the first to be done")
    stack.kill("worker")
    stack.again("worker")
    processes.wait_until(lambda: stack.ask(DONE) >= 200, seconds=180, what="200 to be done")
    stack.event_server.kill()
    stack.kill("worker1")
    stack.event_server.start()
    stack.again("worker1")
    person.thread.join(180)
    assert len(person.accepted) == SINGLY
    processes.wait_until(lambda: stack.ask(DONE) == ALL, seconds=240, what="all to be done")
    assert stack.rows("SELECT state, count(*) FROM sync_command GROUP BY state") == [("done", ALL)]
    sent = mails(stack) - before
    emails = stack.rows("SELECT email FROM attendees_attendee WHERE id IN (SELECT target_id FROM sync_command)")
    assert sent == Counter(email for (email,) in emails)
    assert stack.ask("SELECT count(*) FROM sync_command c JOIN attendees_attendee a ON a.id = c.target_id"
                     " WHERE a.status <> 'pending_approval'") == 0  # fmt: skip
