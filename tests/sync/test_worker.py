"""The real worker, with its beat and its broker: it finds what is due, and dies without losing its place."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from tests.support import faults
from tests.support.processes import wait_until
from tests.support.worker import Installation

PAGES, SIZE = 12, 5
GUESTS = "/api/v1/events/e1/attendees"


@pytest.fixture
def installation(tmp_path):
    with Installation(tmp_path) as installation:
        yield installation


@pytest.fixture
def provider(fault_server):
    """One event with twelve pages of guests, each of them slow enough to be killed on."""
    start = {"utc": (datetime.now(UTC) + timedelta(days=3)).isoformat(), "timezone": "UTC"}
    event = {"id": "e1", "name": "Opening", "status": "active", "start": start}

    def guests(request):
        number = int(request.query["page"][0])
        if int(request.query["page_size"][0]) < 200:
            return faults.page([])  # the check of the connection, not a walk
        rows = [{"id": f"t{number}-{n}", "status": "valid", "first_name": f"G{number}-{n}"} for n in range(SIZE)]
        return faults.slow(0.25, faults.page(rows, number=number, pages=PAGES, total=PAGES * SIZE))

    fault_server.on("/api/v1/events", faults.page([event]))
    fault_server.on("/api/v1/events/e1/ticket-classes", faults.page([]))
    fault_server.by(GUESTS, guests)
    fault_server.on("*", faults.status(404, "Event not found"))
    return fault_server


def pages_asked(provider):
    requests = [request for request in provider.requests if request.path == GUESTS]
    return [int(r.query["page"][0]) for r in requests if r.query["page_size"] == ["200"]]


def page(installation):
    rows = installation.ask("SELECT page FROM sync_sweep WHERE noun = 'attendees'")
    return rows[0][0] if rows else 0


def test_goes_on_from_its_page_after_kill_9(installation, provider):
    installation.connect(f"{provider.url}/api/v1", "evt_live_" + "k" * 43)
    installation.start_worker()
    wait_until(lambda: page(installation) >= 4, what="the fourth page")
    installation.kill_worker()
    stored = page(installation)
    before = len(pages_asked(provider))
    installation.start_worker()
    wait_until(
        lambda: installation.ask("SELECT 1 FROM sync_sweep WHERE noun = 'attendees' AND finished_at IS NOT NULL"),
        what="the end of the walk",
    )
    after = pages_asked(provider)[before:]
    assert after == list(range(stored, PAGES + 1))
    assert Counter(pages_asked(provider)).most_common(1)[0][1] <= 2  # only the page it died on was asked for twice
    assert installation.ask("SELECT count(*) FROM attendees_attendee") == [(PAGES * SIZE,)]
    assert installation.ask("SELECT status, count FROM attendees_statuscount") == [("valid", PAGES * SIZE)]


def test_writes_its_pulse(installation):
    installation.start_worker()
    wait_until(lambda: installation.ask("SELECT at FROM sync_pulse"), what="a pulse")
    assert len(installation.ask("SELECT at FROM sync_pulse")) == 1
