"""What must hold over two server processes on one database."""

import http.client
import itertools
import select
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx
import pytest

from servers.event_api import queries
from servers.event_api.models import Attendee
from servers.jobs.models import Job
from servers.mail.models import OutgoingMail
from servers.organizations import actions
from servers.tests import factories
from servers.tests.conftest import api_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def at_once(urls) -> Iterator[Callable[..., list[httpx.Response]]]:
    """Sends requests side by side, by turns to each process; each thread has connections of its own."""
    own = threading.local()

    def open_client() -> None:
        own.client = clients.enter_context(httpx.Client(timeout=60))

    with ExitStack() as clients, ThreadPoolExecutor(16, initializer=open_client) as pool:

        def send(secret: str, calls: list[tuple[str, str, dict]], **headers: str) -> list[httpx.Response]:
            sent = {"X-API-KEY": secret} | {name.replace("_", "-"): value for name, value in headers.items()}

            def one(call: tuple[str, str, dict], url: str) -> httpx.Response:
                method, path, body = call
                return own.client.request(method, url + path, json=body, headers=sent)

            return list(pool.map(one, calls, itertools.cycle(urls)))

        yield send


def test_holds_the_limit_over_both(organization, at_once):
    api = api_for(organization, limit="20/60")
    seen = at_once(api.secret, [("GET", "/events", {})] * 50)
    assert Counter(one.status_code for one in seen) == {200: 20, 429: 30}
    left = sorted(int(one.headers["RateLimit-Remaining"]) for one in seen if one.status_code == 200)
    assert left == list(range(20))


def test_makes_one_of_eight_at_once(api, event, ticket_class, at_once):
    body = {"ticket_class_id": ticket_class.pk, "contact": {"email": "ada@example.com"}, "send_email": True}
    call = ("POST", f"/events/{event.pk}/attendees", body)
    seen = at_once(api.secret, [call] * 8, Idempotency_Key="one")
    assert {one.status_code for one in seen} <= {201, 409}
    assert {one.json()["error"] for one in seen if one.status_code == 409} <= {"idempotent_request_in_progress"}
    later = at_once(api.secret, [call] * 8, Idempotency_Key="one")
    assert {(one.status_code, one.content) for one in later} == {
        (one.status_code, one.content) for one in seen if one.status_code == 201
    }
    assert {one.headers["Idempotent-Replay"] for one in later} == {"true"}
    assert (Attendee.objects.count(), OutgoingMail.objects.count(), Job.objects.count()) == (1, 1, 1)


def test_approves_three_of_fifty_for_three_seats(api, event, at_once):
    for number in range(20):
        ticket_class = factories.ticket_class(event, name=f"Round {number}", quantity_total=3)
        guests = factories.attendees(ticket_class, 50, "pending_approval")
        calls = [("PATCH", f"/events/{event.pk}/attendees/{guest.pk}", {"status": "valid"}) for guest in guests]
        seen = at_once(api.secret, calls)
        assert Counter(one.status_code for one in seen) == {200: 3, 422: 47}
        assert queries.sold(ticket_class.attendees.all()) == 3


def test_sells_the_last_seats_of_an_event_once(api, organization, at_once):
    event = factories.event(organization, capacity=5)
    classes = [factories.ticket_class(event, name=name).pk for name in ("A", "B")]
    bodies = [{"ticket_class_id": classes[n % 2], "contact": {"email": f"g{n}@example.com"}} for n in range(20)]
    seen = at_once(api.secret, [("POST", f"/events/{event.pk}/attendees", body) for body in bodies])
    assert Counter(one.status_code for one in seen) == {201: 5, 422: 15}
    assert queries.sold(event.attendees.all()) == 5


def test_knows_a_contact_once_whoever_comes_first(api, event, ticket_class, at_once):
    body = {"ticket_class_id": ticket_class.pk, "contact": {"email": "ada@example.com"}}
    seen = at_once(api.secret, [("POST", f"/events/{event.pk}/attendees", body)] * 12)
    assert {one.status_code for one in seen} == {201}
    assert len({one.json()["data"][0]["contact_id"] for one in seen}) == 1


def test_both_refuse_a_revoked_key(organization, at_once):
    new = actions.create_key(organization=organization, scopes=["events:read"])
    assert {one.status_code for one in at_once(new.secret, [("GET", "/events", {})] * 4)} == {200}
    actions.revoke_key(key=new.key)
    assert {one.status_code for one in at_once(new.secret, [("GET", "/events", {})] * 4)} == {401}


def test_reads_a_body_that_comes_in_chunks(api, event, urls):
    address = urlsplit(urls[0])
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
    headers = {"X-API-KEY": api.secret, "Content-Type": "application/json"}
    connection.request("PATCH", f"/api/v1/events/{event.pk}", iter([b'{"hid', b'den": true}']), headers)
    response = connection.getresponse()
    assert response.status == 200, response.read()
    event.refresh_from_db()
    assert event.hidden


def test_keeps_the_connection_where_a_refusal_is_faster_than_the_body(organization, urls):
    address, body = urlsplit(urls[0]), b'{"hidden": true}'
    key = actions.create_key(organization=organization, scopes=["events:read"]).secret
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=10)
    connection.connect()
    for _ in range(2):
        connection.putrequest("PATCH", "/api/v1/events/any")
        for name, value in {"X-API-KEY": key, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert select.select([connection.sock], [], [], 0.2)[0] == []
        connection.send(body)
        response = connection.getresponse()
        assert (response.status, response.read() != b"") == (403, True)
        assert connection.sock is not None
        assert select.select([connection.sock], [], [], 0.2)[0] == []
