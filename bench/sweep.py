"""A whole sweep of 100 pages, alone on a key of 60 requests in 10 s, by the real worker against the real server."""

import subprocess
import time
from collections import Counter

import httpx

from bench.figures import Figure
from tests.support import processes
from tests.support.stack import SCOPES, Stack

PAGES, SIZE = 100, 200
STATUSES = "valid,checked_in,pending_approval,rejected,deleted,pending_payment"
BOUND = 18.0


def measure() -> list[Figure]:
    with Stack(connected=False) as stack:
        server = stack.event_server
        event = write_event(stack)
        bare = read_bare(server.url, server.make_key("bench", SCOPES, limit="100000/10"), event)
        _start_reading(stack)
        stack.wait_for_guests(PAGES * SIZE, seconds=150)
        time.sleep(11)  # a fresh window, as after a pause
        answered = len(server.answered())
        seconds = _read_again(stack, event)
        statuses = Counter(server.answered()[answered:])
    return [
        Figure(
            f"sweep of {PAGES} pages of {SIZE}, alone on a key",
            f"{seconds:.1f} s, {statuses[200]} answers, {statuses[429]} × 429",
            f"{bare:.1f} s read bare without a limit; 10 s is what the windows alone cost",
            f"≤ {BOUND:.0f} s, no 429",
            seconds <= BOUND and not statuses[429],
        )
    ]


def write_event(stack: Stack) -> str:
    env = processes.environment(FOYER_DATA=stack.data)
    command = processes.python("-m", "bench.big_event", "bench", str(PAGES * SIZE))
    return subprocess.check_output(command, cwd=processes.ROOT, env=env, text=True).strip()


def read_bare(url: str, key: str, event: str) -> float:
    """The same pages by one client that neither waits nor stores."""
    began = time.perf_counter()
    with httpx.Client(base_url=url, headers={"X-API-KEY": key}, timeout=30) as client:
        for number in range(1, PAGES + 1):
            asked = {"page": number, "page_size": SIZE, "status": STATUSES}
            answer = client.get(f"/api/v1/events/{event}/attendees", params=asked)
            if answer.status_code == 400:
                answer = client.get(f"/api/v1/events/{event}/attendees", params=asked | {"status": "valid,checked_in"})
            answer.raise_for_status()
    return time.perf_counter() - began


def _start_reading(stack: Stack) -> None:
    """The demo's organization reads the big event with a key of the usual limit."""
    stack.key = stack.event_server.make_key("bench", SCOPES, limit=None)
    stack.connect()


def _read_again(stack: Stack, event: str) -> float:
    from bench.visitor import signed_in

    whole = f"SELECT generation FROM sync_sweep WHERE noun = 'attendees' AND scope = '{event}'"  # noqa: S608
    under_way = f"SELECT page > 0 OR missing FROM sync_sweep WHERE noun = 'attendees' AND scope = '{event}'"  # noqa: S608
    before = stack.ask(whole)
    visitor = signed_in(stack.url)
    token = visitor.cookies["foyer_csrf"]
    began = time.perf_counter()
    asked = {"noun": "attendees", "scope": event, "csrfmiddlewaretoken": token}
    answer = visitor.post("/o/demo/refresh/", data=asked, headers={"Referer": stack.url}, follow_redirects=False)
    assert answer.status_code == 302
    processes.wait_until(
        lambda: stack.ask(whole) > before and not stack.ask(under_way), seconds=90, what="the second read"
    )
    return time.perf_counter() - began
