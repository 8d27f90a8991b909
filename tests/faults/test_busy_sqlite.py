"""One SQLite file under everything at once: the web, two workers, people reading, deciding and checking in."""

import itertools
import re
import threading
import time
import uuid
from uuid import UUID

import httpx
import pytest

from tests.support.stack import PASSWORD, Stack

pytestmark = pytest.mark.long
SECONDS = 60
READERS, DECIDERS, DESKS = 4, 2, 2
THINKING = 0.1
"""Seconds between two clicks of one person: they are to meet, not to fill the machine."""
ADDRESSES = ["", "events/", "guests/", "guests/?q=ann", "approvals/", "settings/outbox/", "settings/audit/", "door/"]
GOING = "SELECT id, event_id, remote_id FROM attendees_attendee WHERE status = 'valid' ORDER BY id"


@pytest.fixture(scope="module")
def stack():
    with Stack(attendees=2000, workers=2, limit="1000/10") as stack:
        stack.wait_for_guests()
        yield stack


class Person:
    def __init__(self, stack):
        self.browser = httpx.Client(base_url=stack.url, follow_redirects=True, timeout=30, trust_env=False)
        form = self.browser.get("/accounts/login/")
        sent = {"login": "owner@demo.test", "password": PASSWORD, "csrfmiddlewaretoken": _token(form)}
        assert "/o/demo/" in str(self.browser.post("/accounts/login/", data=sent).url)
        self.odd, self.pause = [], threading.Event()

    def get(self, address):
        page = self.browser.get(f"/o/demo/{address}")
        self.note(page)

    def post(self, address, **form):
        form["csrfmiddlewaretoken"] = self.browser.cookies["foyer_csrf"]
        page = self.browser.post(f"/o/demo/{address}", data=form)
        self.note(page)
        return page

    def note(self, page):
        self.pause.wait(THINKING)
        if page.status_code != 200:
            self.odd.append((page.status_code, page.request.method, page.url.path, page.text[-300:]))


def _token(page):
    return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]


def reads(person, turns):
    for turn in turns:
        person.get(ADDRESSES[turn % len(ADDRESSES)])
        if turn % 2:
            person.post("refresh/", noun="events", scope="", next="/o/demo/")


def decides(person, guests):
    for guest, _event, _code in guests:
        page = person.post(f"guests/{UUID(guest)}/decide/return/", seen="valid")
        person.post(f"guests/{UUID(guest)}/undo/", seq=re.search(r'name="seq" value="(\d+)"', page.text)[1])


def checks_in(person, guests):
    for _guest, event, code in guests:
        person.post(f"door/{UUID(event)}/scan/", scan_id=str(uuid.uuid4()), code=code)


def test_breaks_nothing_while_all_write(stack):
    guests, until, problems = stack.rows(GOING), time.monotonic() + SECONDS, []
    assert len(guests) > 400
    parts = iter(guests[n :: DECIDERS + DESKS] for n in range(DECIDERS + DESKS))
    work = [(reads, lambda n=n: itertools.count(3 * n)) for n in range(READERS)]
    work += [(doing, lambda: iter(next(parts))) for doing in [decides] * DECIDERS + [checks_in] * DESKS]
    people = [(Person(stack), doing, before()) for doing, before in work]

    def until_over(turns):
        return itertools.takewhile(lambda _turn: time.monotonic() < until, turns)

    def live(person, doing, turns):
        try:
            doing(person, until_over(turns))
        except (httpx.HTTPError, KeyError, TypeError) as problem:
            problems.append(problem)

    threads = [threading.Thread(target=live, args=one) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 60)
    assert problems == []
    assert [odd for person, _, _ in people for odd in person.odd] == []
    assert stack.ask("SELECT count(*) FROM sync_command WHERE state = 'done'") > 50
    assert stack.ask("SELECT count(*) FROM sync_sweep WHERE noun = 'events' AND generation > 3") == 1
    for log in ("web", "worker", "worker1"):
        assert "locked" not in (stack.data / f"{log}.log").read_text()
