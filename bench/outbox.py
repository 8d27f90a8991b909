"""600 decisions by two workers on a key of 60 requests in 10 s, while a sweep reads on and a person decides as well."""

import time
from collections import Counter
from datetime import datetime

from bench.figures import Figure
from bench.sweep import write_event
from bench.visitor import signed_in
from tests.support import processes
from tests.support.stack import SCOPES, Stack

COMMANDS, CLICKS = 600, 8
BOUND, SOON = 105.0, 1.0
DONE = "SELECT count(*) FROM sync_command WHERE state = 'done' AND lane = 2"


def measure() -> list[Figure]:
    with Stack(connected=False, workers=2) as stack:
        event = write_event(stack)
        stack.key = stack.event_server.make_key("bench", SCOPES, limit=None)
        stack.connect()
        stack.wait_for_guests(20_000, seconds=150)
        answered = len(stack.event_server.answered())
        stack.run("-m", "bench.decide", str(COMMANDS), "0")
        _read_again(stack, event)
        for click in range(CLICKS):
            stack.run("-m", "bench.decide", "1", str(COMMANDS + click))
            time.sleep(8)
        processes.wait_until(lambda: stack.ask(DONE) == COMMANDS, seconds=120, what="the last command")
        statuses = Counter(stack.event_server.answered()[answered:])
        seconds = _between(stack, "SELECT min(due_at), max(ended_at) FROM sync_command WHERE lane = 2")
        late = max(_waits(stack))
        swept = sum(statuses.values()) - COMMANDS - CLICKS
    return [
        Figure(
            f"{COMMANDS} commands by two workers, with a sweep and a person",
            f"{seconds:.1f} s, {statuses[429]} × 429, {swept} requests of the sweep beside them",
            "100 s is what the windows alone cost",
            f"≤ {BOUND:.0f} s, no 429",
            seconds <= BOUND and not statuses[429],
        ),
        Figure(
            f"the person's {CLICKS} commands among them, sent after they were due",
            f"at most {late:.2f} s",
            "10 s is a whole window",
            f"≤ {SOON:.0f} s",
            late <= SOON,
        ),
    ]


def _read_again(stack: Stack, event: str) -> None:
    visitor = signed_in(stack.url)
    asked = {"noun": "attendees", "scope": event, "csrfmiddlewaretoken": visitor.cookies["foyer_csrf"]}
    visitor.post("/o/demo/refresh/", data=asked, headers={"Referer": stack.url})


def _between(stack: Stack, sql: str) -> float:
    [(first, last)] = stack.rows(sql)
    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def _waits(stack: Stack) -> list[float]:
    sent = stack.rows("SELECT due_at, first_at FROM sync_command WHERE lane = 1 AND state = 'done'")
    assert len(sent) == CLICKS
    return [(datetime.fromisoformat(first) - datetime.fromisoformat(due)).total_seconds() for due, first in sent]
