"""Whole walks over HTTP against a provider that has a bad day: what is said, and where it goes on."""

import threading
from datetime import timedelta

import pytest
from django.db import connections

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee
from organizer.connections import actions as connecting
from organizer.connections.models import Connection, Health
from organizer.sync import actions, queries
from organizer.sync.models import Sweep
from tests.support import faults

EVENTS = "/api/v1/events"
GUESTS = "/api/v1/events/e1/attendees"
PAGES = [
    faults.page([{"id": f"t{number}-{n}", "status": "valid"} for n in range(2)], number=number, pages=3, total=6)
    for number in (1, 2, 3)
]


@pytest.fixture
def connection(db, fault_server, clock):
    start = (clock() + timedelta(days=9)).isoformat()
    fault_server.on(EVENTS, faults.page([{"id": "e1", "name": "Opening", "status": "active", "start": {"utc": start}}]))
    fault_server.on(f"{EVENTS}/e1/ticket-classes", faults.page([]))
    fault_server.on(GUESTS, *PAGES)
    return connect(fault_server)


def connect(server):
    organization = Organization.objects.create(slug="demo", name="Demo")
    connection = connecting.add(
        organization=organization, service="events", url=f"{server.url}/api/v1", key="evt_live_" + "k" * 43, by=None
    )
    Connection.objects.filter(pk=connection.pk).update(health=Health.WORKING)
    return Connection.objects.get()


def walk(connection, clock):
    return actions.walk(connection.pk, now=clock)


def guests_asked(server):
    return [int(request.query["page"][0]) for request in server.requests if request.path == GUESTS]


def test_a_good_day(connection, fault_server, clock):
    assert walk(connection, clock) is None
    assert Attendee.objects.count() == 6
    assert guests_asked(fault_server) == [1, 2, 3]
    fresh = queries.freshness(connection.organization, "attendees", "e1", now=clock())
    assert (fresh.problem, fresh.stale, fresh.skipped) == ("", False, 0)


@pytest.mark.parametrize(
    "fault",
    [
        faults.html(),
        faults.html(503),
        faults.status(500),
        faults.cut(PAGES[1]),
        faults.close(),
        faults.says({"data": "none"}),
        faults.says([]),
        faults.says({"data": [{"id": "t2-0", "status": "valid", "price": 1}]}, status=302),
        faults.says(b'{"data": [}'),
        faults.says(b"\xff\xfe"),
    ],
)
def test_a_fault_is_said_and_the_walk_goes_on_from_its_page(connection, fault_server, clock, fault):
    fault_server.on(GUESTS, PAGES[0], fault, PAGES[1], PAGES[2])
    walk(connection, clock)
    sweep = Sweep.objects.get(noun="attendees")
    assert (sweep.page, sweep.failures) == (2, 1)
    fresh = queries.freshness(connection.organization, "attendees", "e1", now=clock())
    assert fresh.problem
    assert fresh.stale
    assert Attendee.objects.count() == 2
    clock.forward(10)
    walk(connection, clock)
    assert guests_asked(fault_server) == [1, 2, 2, 3]
    assert Attendee.objects.count() == 6
    assert queries.freshness(connection.organization, "attendees", "e1", now=clock()).problem == ""


def test_a_provider_that_is_gone_leaves_what_was_read(connection, fault_server, clock):
    walk(connection, clock)
    fault_server.on("*", faults.close())
    for path in (EVENTS, GUESTS, f"{EVENTS}/e1/ticket-classes"):
        fault_server.on(path, faults.close())
    clock.forward(400)
    assert walk(connection, clock) > 0
    connection.refresh_from_db()
    assert connection.health == Health.UNREACHABLE
    assert Attendee.objects.filter(gone_at=None).count() == 6


def test_a_429_is_waited_for(connection, fault_server, clock):
    limited = faults.says({"error": "rate_limit_exceeded"}, status=429, headers={"Retry-After": "4"})
    fault_server.on(GUESTS, limited, *PAGES)
    assert 2 < walk(connection, clock) <= 4
    sweep = Sweep.objects.get(noun="attendees")
    assert (sweep.failures, sweep.problem) == (0, "")
    connection.refresh_from_db()
    assert connection.health == Health.WORKING


def test_rows_nobody_would_expect_are_taken_or_counted(connection, fault_server, clock):
    odd = [
        {"id": "a", "status": "valid", "first_name": "Nul\x00", "seat": {"deep": [1, {"x": None}]}},
        {"id": "b"},
        {"id": 7, "status": "valid", "email": ["x"]},
        {"status": "valid"},
        "row",
        {"id": "c", "status": "teleported", "first_name": '"; DROP TABLE', "last_name": "‮שלום 👩‍👩‍👧"},
    ]
    fault_server.on(GUESTS, faults.page(odd))
    walk(connection, clock)
    fresh = queries.freshness(connection.organization, "attendees", "e1", now=clock())
    taken = set(Attendee.objects.values_list("remote_id", flat=True))
    assert {"a", "b", "c"} <= taken
    assert fresh.skipped == len(odd) - len(taken)
    assert Attendee.objects.get(remote_id="a").payload["seat"] == {"deep": [1, {"x": None}]}


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_read_one_connection_at_once(fault_server, clock):
    under_way, most, lock = [0], [0], threading.Lock()

    def answer(request):
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        threading.Event().wait(0.05)
        with lock:
            under_way[0] -= 1
        return faults.page([{"id": "e1", "name": "Opening", "status": "draft"}] if request.path == EVENTS else [])

    fault_server.by(EVENTS, answer)
    fault_server.by("*", answer)
    connection = connect(fault_server)
    start = threading.Barrier(4)

    def work():
        start.wait()
        for _ in range(3):
            actions.walk(connection.pk)
        connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert most[0] == 1
    assert len(fault_server.requests) == 3
