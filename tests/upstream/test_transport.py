import gzip
import json
import os
import socket
import ssl
import threading
import time
import traceback
from contextlib import suppress

import httpx
import pytest

from organizer.sync.leases import LEASE
from organizer.upstream import transport
from organizer.upstream.addresses import GuardedBackend, is_public
from organizer.upstream.errors import AddressRefused, Broken, NotYet, Unreachable
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import Lane
from tests.support import faults, processes
from tests.support.network import watched
from tests.upstream.conftest import KEY, NOW

EVENT = {"id": "e1", "name": "Gala", "status": "active"}
LIST = "/api/v1/events"


def test_sends_the_key_and_what_was_asked(api, fault_server):
    fault_server.on(LIST, faults.page([EVENT]))
    page = api.events.page(2, size=10, status="draft,active")
    [request] = fault_server.requests
    assert request.headers["x-api-key"] == KEY
    assert request.query == {"page": ["2"], "page_size": ["10"], "status": ["draft,active"]}
    assert page.requested_at == NOW


def test_sends_a_write_with_its_key_and_its_very_bytes(api, fault_server):
    fault_server.on(LIST, faults.says({"data": EVENT}))
    frozen = b'{"name": "Gala" }'
    api.events.create(frozen, idempotency_key="once")
    [request] = fault_server.requests
    assert (request.method, request.body) == ("POST", frozen)
    assert request.headers["idempotency-key"] == "once"
    assert request.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (faults.html(), Broken),
        (faults.html(404), Broken),
        (faults.status(500), Broken),
        (faults.cut(), Unreachable),
        (faults.cut(faults.page([EVENT]), after_bytes=0), Unreachable),
        (faults.close(), Unreachable),
        (faults.says(b"\xff\xfe{}"), Broken),
        (faults.says(b'{"data": [1, 2'), Broken),
        (faults.says(b"[" * 200_000), Broken),
        (faults.Answer(302, b"", {"Location": "http://127.0.0.1:1/"}), Broken),
        (faults.Answer(200, b"garbage", {"Content-Encoding": "gzip"}), Broken),
    ],
)
def test_survives_a_bad_day(api, fault_server, limiter, answer, expected):
    fault_server.on(LIST, answer)
    with pytest.raises(expected) as outcome:
        api.events.page(1)
    assert type(outcome.value) is expected
    assert len(limiter.settled) == 1


def test_goes_nowhere_else(api, fault_server):
    elsewhere = processes.free_port()
    fault_server.on(LIST, faults.Answer(307, b"", {"Location": f"http://127.0.0.1:{elsewhere}/"}))
    with watched() as seen, pytest.raises(Broken, match="another address"):
        api.events.page(1)
    assert {address.rpartition(":")[2] for address in seen} == {str(fault_server.port)}


def test_says_that_nobody_is_there(transport_to, limiter):
    api = EventApi(transport_to(f"http://127.0.0.1:{processes.free_port()}"))
    with pytest.raises(Unreachable, match="refused"):
        api.events.page(1)
    assert limiter.settled == [("1", None)]


def test_says_that_nobody_answers(fault_server, transport_to):
    fault_server.on("/events", faults.slow(20))
    with pytest.raises(Unreachable, match="in time"):
        EventApi(transport_to(fault_server.url, timeout=0.2)).events.page(1)


@pytest.fixture
def closing_server():
    """Keeps a connection open, and closes it when a second request has come in there, as a server does whose time for
    an idle connection ran out."""
    bodies = []

    def serve(connection):
        with connection:
            for answered in (True, False):
                received = b""
                while b"}" not in received.partition(b"\r\n\r\n")[2] and not received.startswith(b"GET"):
                    part = connection.recv(10_000)
                    if not part:
                        return
                    received += part
                bodies.append(received.partition(b"\r\n\r\n")[2])
                if answered:
                    body = json.dumps({"data": EVENT}).encode()
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                    connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def accept():
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", bodies
        server.shutdown(socket.SHUT_RDWR)


def test_repeats_what_met_a_connection_that_was_being_closed(closing_server, transport_to, limiter):
    url, bodies = closing_server
    api = EventApi(transport_to(url))
    for name in ("first", "second"):
        assert api.events.update("e1", {"name": name}, idempotency_key=name).name == "Gala"
    assert [json.loads(body)["name"] for body in bodies] == ["first", "second", "second"]
    assert limiter.settled == [("1", 200), ("2", None), ("3", 200)]
    assert api.events.get("e1").name == "Gala"


def test_repeats_nothing_that_has_no_key(closing_server, transport_to):
    url, bodies = closing_server
    transport = transport_to(url)
    transport.request("PATCH", "/events/e1", scope="events:write", body={"name": "first"})
    with pytest.raises(Unreachable, match="broke"):
        transport.request("PATCH", "/events/e1", scope="events:write", body={"name": "second"})
    assert len(bodies) == 2


def test_knows_no_outcome_where_it_may_not_repeat(closing_server, transport_to, limiter):
    url, _ = closing_server
    transport = transport_to(url)
    transport.request("GET", "/events/e1", scope="events:read")

    def once(lane):
        limiter.take = no
        return "2"

    def no(lane):
        raise NotYet(3.0)

    limiter.take = once
    with pytest.raises(Unreachable, match="broke"):
        transport.request("GET", "/events/e1", scope="events:read")


def test_waits_as_long_as_the_lease_allows(settings):
    assert settings.FOYER_API_TIMEOUT == transport.TIMEOUT == 30
    assert transport.TIMEOUT < transport.LONGEST < LEASE.total_seconds()


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\nX-Drip: ", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"])
def test_ends_an_answer_that_trickles_in(transport_to, start):
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_drip, args=(server, start), daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(Unreachable, match="in time"):
            EventApi(transport_to(url, longest=0.5)).events.page(1)
    assert time.monotonic() - began < 3


def _drip(server, start):
    connection, _ = server.accept()
    with connection, suppress(OSError):
        connection.sendall(start)
        for _ in range(600):
            connection.sendall(b"x")
            threading.Event().wait(0.02)


def test_takes_ten_megabytes_and_not_more(answering):
    fits = json.dumps({"data": [EVENT | {"description": "x" * 9_900_000}]}).encode()
    assert len(answering(content=fits).events.page(1).items) == 1
    with pytest.raises(Broken, match="10 MB"):
        answering(content=fits.replace(b"Gala", b"G" * 600_000)).events.page(1)


def test_counts_what_was_unpacked(answering):
    packed = gzip.compress(b" " * 50_000_000 + b"{}")
    assert len(packed) < 100_000
    with pytest.raises(Broken, match="10 MB"):
        answering(content=packed, headers={"Content-Encoding": "gzip"}).events.page(1)


def test_sends_nothing_without_a_grant(fault_server, transport_to, limiter):
    def no(lane):
        raise NotYet(3.0)

    limiter.take = no
    with pytest.raises(NotYet):
        EventApi(transport_to(fault_server.url)).events.page(1)
    assert fault_server.connections == 0
    assert limiter.settled == []


def test_asks_in_its_lane(fault_server, transport_to, limiter):
    fault_server.on("*", faults.page([]))
    EventApi(transport_to(fault_server.url, lane=Lane.SWEEP)).events.page(1)
    assert limiter.taken == [Lane.SWEEP]
    assert limiter.settled == [("1", 200)]


def test_keeps_no_cookie(transport_to):
    seen = []

    def handler(request):
        seen.append(request.headers.get("cookie"))
        return httpx.Response(200, json={"data": []}, headers={"Set-Cookie": "session=of-somebody; Path=/"})

    api = EventApi(transport_to("https://api.example.test", transport=httpx.MockTransport(handler)))
    api.events.page(1)
    api.events.page(1)
    assert seen == [None, None]


def test_does_not_ask_the_environment_for_a_proxy(api, fault_server, monkeypatch):
    fault_server.on(LIST, faults.page([]))
    monkeypatch.setitem(os.environ, "HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setitem(os.environ, "ALL_PROXY", "http://127.0.0.1:1")
    transport._shared_client.cache_clear()
    assert api.events.page(1).items == ()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",  # noqa: S104
        "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::a00:1", "2002:0a00:0001::1",
    ],
)  # fmt: skip
def test_knows_a_private_address(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_knows_a_public_address(address):
    assert is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "[::1]"])
def test_opens_no_connection_inside(transport_to, host):
    """Judged is what the name means at the moment of connecting, whatever its spelling."""
    api = EventApi(transport_to(f"https://{host}:{processes.free_port()}", allow_private=False))
    with watched() as seen, pytest.raises((AddressRefused, Unreachable)):
        api.events.page(1)
    assert seen == []


def test_says_that_it_does_not_go_inside(transport_to):
    api = EventApi(transport_to("https://127.0.0.1", allow_private=False))
    with pytest.raises(AddressRefused, match="private network"):
        api.events.page(1)


def test_connects_to_the_address_that_was_judged():
    """A name that means another machine the second time is not asked a second time."""
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])
    connected = []

    class Plain:
        def connect_tcp(self, host, *rest):
            connected.append(host)
            return

    backend = GuardedBackend(allow_private=False, resolve=lambda host, port: next(answers), plain=Plain())
    backend.connect_tcp("rebinding.example", 443)
    assert connected == ["93.184.216.34"]
    with pytest.raises(AddressRefused):
        backend.connect_tcp("rebinding.example", 443)


def test_passes_over_the_private_ones_of_a_name():
    connected = []

    class Plain:
        def connect_tcp(self, host, *rest):
            connected.append(host)
            return

    mixed = GuardedBackend(allow_private=False, resolve=lambda *_: ["10.0.0.1", "93.184.216.34"], plain=Plain())
    mixed.connect_tcp("mixed.example", 443)
    assert connected == ["93.184.216.34"]


def test_sends_no_key_without_tls(transport_to, limiter):
    with watched() as seen, pytest.raises(AddressRefused, match="https"):
        EventApi(transport_to("http://93.184.216.34", allow_private=False)).events.page(1)
    assert (seen, limiter.taken) == ([], [])


def test_verifies_certificates(api):
    [context] = {transport._shared_client(True, os.getpid())._transport._pool._ssl_context}
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 422, 500])
def test_lets_no_key_out(answering, status):
    """Not even where the provider repeats it in every field of its answer."""
    echo = {"error": f"bad key {KEY}", "message": KEY, "details": [{"message": KEY}], "data": {"id": KEY, "name": KEY}}
    api = answering(status, echo)
    try:
        shown = repr(api.events.get("e1"))
    except Exception as problem:
        shown = "".join(traceback.format_exception(problem)) + repr(vars(problem))
    assert KEY not in shown


def test_shows_no_key_of_itself(transport_to):
    assert KEY not in repr(transport_to("https://api.example.test"))
    assert KEY not in str(transport_to("https://api.example.test"))


def test_chains_nothing_that_holds_the_key(transport_to):
    with pytest.raises(Unreachable) as outcome:
        EventApi(transport_to(f"http://127.0.0.1:{processes.free_port()}")).events.page(1)
    assert outcome.value.__cause__ is None
    assert outcome.value.__suppress_context__
