"""One SQLite file under everything at once: the web process, the worker's sweeps, people reading and refreshing."""

import re
import threading
import time

import httpx
import pytest

from tests.support.stack import PASSWORD, Stack

SECONDS = 12
PEOPLE = 6
ADDRESSES = ["", "events/", "guests/", "guests/?q=ann", "settings/connections/", "settings/audit/", "settings/members/"]


@pytest.fixture(scope="module")
def stack():
    with Stack(attendees=600) as stack:
        yield stack


def sign_in(stack):
    person = httpx.Client(base_url=stack.url, follow_redirects=True, timeout=30, trust_env=False)
    form = person.get("/accounts/login/")
    sent = {"login": "owner@demo.test", "password": PASSWORD, "csrfmiddlewaretoken": token(form)}
    assert "/o/demo/" in str(person.post("/accounts/login/", data=sent).url)
    return person


def token(page):
    return re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]


def test_breaks_no_page_while_all_write(stack):
    people = [sign_in(stack) for _ in range(PEOPLE)]
    events = sorted(set(re.findall(r"/o/demo/(events/[0-9a-f-]{36}/)", people[0].get("/o/demo/events/").text)))
    addresses = [f"/o/demo/{address}" for address in [*ADDRESSES, *events, *(f"{event}guests/" for event in events)]]
    until, answers, problems = time.monotonic() + SECONDS, [], []

    def work(person, number):
        try:
            for turn in range(10_000):
                if time.monotonic() > until:
                    return
                page = person.get(addresses[(turn + 3 * number) % len(addresses)])
                answers.append(page.status_code)
                if turn % 2:
                    sent = {"noun": "events", "scope": "", "next": "/o/demo/", "csrfmiddlewaretoken": token(page)}
                    answers.append(person.post("/o/demo/refresh/", data=sent).status_code)
        except (httpx.HTTPError, TypeError) as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(person, number)) for number, person in enumerate(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 60)
    assert problems == []
    assert set(answers) == {200}
    assert len(answers) > 5 * SECONDS
    assert stack.ask("SELECT count(*) FROM sync_sweep WHERE noun = 'events' AND generation > 3") == 1
    for log in ("web", "worker"):
        assert "locked" not in (stack.data / f"{log}.log").read_text()
