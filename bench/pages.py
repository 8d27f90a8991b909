"""The same pages with the event server running and stopped: a page reads the mirror, so it should not matter."""

from contextlib import closing
from uuid import UUID

from bench.figures import Figure, milliseconds, percentile
from bench.visitor import signed_in, times
from tests.support.stack import Stack

NUMBER = 60
FACTOR = 2.0
"""Two short runs on a busy machine differ by less."""


def measure() -> list[Figure]:
    with Stack() as stack:
        stack.wait_for_guests()
        paths = addresses(stack)
        with closing(signed_in(stack.url)) as visitor:
            running = {name: times(visitor, path, NUMBER) for name, path in paths.items()}
            stack.event_server.stop()
            stopped = {name: times(visitor, path, NUMBER) for name, path in paths.items()}
    return [_figure(name, running[name], stopped[name]) for name in paths]


def addresses(stack: Stack) -> dict[str, str]:
    event = UUID(stack.ask("SELECT event_id FROM attendees_attendee GROUP BY event_id ORDER BY count(*) DESC LIMIT 1"))
    return {
        "Overview": "/o/demo/",
        "Events": "/o/demo/events/",
        "an event": f"/o/demo/events/{event}/",
        "its guests": f"/o/demo/events/{event}/guests/",
        "its day-of view": f"/o/demo/events/{event}/today/",
    }


def _figure(name: str, running: list[float], stopped: list[float]) -> Figure:
    fine = percentile(stopped, 0.5) <= FACTOR * percentile(running, 0.5)
    what, baseline = f"{name}, event server stopped", f"{_shown(running)} with it running"
    return Figure(what, _shown(stopped), baseline, f"p50 ≤ {FACTOR:g} × running", fine)


def _shown(taken: list[float]) -> str:
    return f"p50 {milliseconds(percentile(taken, 0.5))}, p95 {milliseconds(percentile(taken, 0.95))}"
