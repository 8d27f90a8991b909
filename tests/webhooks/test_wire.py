"""What one may write on a socket: odd headers, chunks, lengths and several requests at once."""

import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from organizer.webhooks.models import Delivery
from organizer.webhooks.receiver import sources
from organizer.webhooks.receiver.signatures import sign
from tests.webhooks.live import SECRET, Supplier

pytestmark = pytest.mark.django_db(transaction=True)
BODY = b'{"reference": "R1"}'
STATUSES = {200, 400, 401, 403, 404, 405, 429, 503}
ON_A_SOCKET = settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
NAMES = st.sampled_from(
    ["X-Webhook-Id", "X-Delivery-Id", "X-Request-Id", "Content-Type", "Content-Encoding", "Cookie", "Forwarded",
     "X-Forwarded-For", "X-Forwarded-Host", "Accept", "Authorization", "Range", "X_Webhook_Id"]
) | st.from_regex(r"[A-Za-z][A-Za-z0-9!#$%&'*+.^_`|~-]{0,30}", fullmatch=True)  # fmt: skip
VALUES = st.binary(max_size=80).map(lambda value: re.sub(rb"[\x00-\x08\x0a-\x1f\x7f]", b"", value))
BODIES = st.binary(max_size=300) | st.builds(
    lambda value: json.dumps(value).encode(), st.dictionaries(st.sampled_from(["id", "reference", "event"]), st.text())
)
OURS = ("host", "content-length", "transfer-encoding", "connection", "expect", "upgrade", "x-vendor-signature", "te")


def said(url, raw, *, ends=False, patience=20, by="127.0.0.1"):
    """Whatever is answered to these bytes, until the server closes or nothing comes for so many seconds.

    With `ends` we are gone after them, and the server may think what it likes of it.
    """
    with socket.create_connection(Supplier(url).address, timeout=patience, source_address=(by, 0)) as wire:
        wire.sendall(raw)
        if ends:
            wire.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while part := wire.recv(65536):
                received += part
        except (ConnectionResetError, TimeoutError):
            pass
        return received


def statuses(received):
    return [int(one) for one in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def head(*lines, path="/api/webhooks/acme", close=True):
    fixed = [f"POST {path} HTTP/1.1".encode(), b"Host: x", *([b"Connection: close"] if close else [])]
    return b"\r\n".join([*fixed, *lines, b"", b""])


def signed(body):
    return b"X-Vendor-Signature: " + sign(body, SECRET).encode()


def chunked(pieces, ext=b"", trailer=b""):
    parts = [b"%x%s\r\n%s\r\n" % (len(piece), ext, piece) for piece in pieces if piece]
    return b"".join(parts) + b"0" + ext + b"\r\n" + trailer + b"\r\n"


@ON_A_SOCKET
@given(st.lists(st.tuples(NAMES, VALUES), max_size=12), BODIES, st.booleans(), st.integers(0, 40))
def test_any_headers_get_the_tables_answers_and_the_bytes_are_kept(receiver_url, vendor, headers, body, good, cut):
    Delivery.objects.all().delete()
    lines = [name.encode() + b": " + value for name, value in headers if name.lower() not in OURS]
    lines.append(signed(body if good else body + b"x"))
    if cut:
        lines, sent = [*lines, b"Transfer-Encoding: chunked"], chunked([body[:cut], body[cut:]])
    else:
        lines, sent = [*lines, b"Content-Length: %d" % len(body)], body
    received = said(receiver_url, head(*lines) + sent)
    [status] = statuses(received)
    assert status in ({200} if good else {401, 429}), received
    answer = json.loads(received.partition(b"\r\n\r\n")[2])
    assert answer["received"] is good
    assert [bytes(row.body) for row in Delivery.objects.all()] == ([body] if good else [])


@pytest.mark.parametrize("ext", [b"", b";a=b", b";a", b';q="x;y"', b" ; a=1", b";" + b"e" * 2000])
def test_extensions_of_chunks_are_no_body(receiver_url, vendor, ext):
    lines = (signed(BODY), b"Transfer-Encoding: chunked")
    received = said(receiver_url, head(*lines) + chunked([BODY[:5], BODY[5:]], ext))
    assert statuses(received)[0] in (200, 400)
    assert [bytes(row.body) for row in Delivery.objects.all()] == ([BODY] if statuses(received) == [200] else [])


def test_a_trailer_is_no_header(receiver_url, vendor):
    raw = head(b"Transfer-Encoding: chunked") + chunked([BODY], trailer=signed(BODY) + b"\r\n")
    assert statuses(said(receiver_url, raw, by="127.0.0.77")) in ([401], [400])  # who was not refused before
    assert not Delivery.objects.exists()


@pytest.mark.parametrize(
    "length",
    [b"", b"abc", b"-1", b"+5", b"5,6", b"5, 5", b"0x5", b"5 5", b"1e1", b"\xd9\xa5", b"9" * 23, b"19.0"],
)  # fmt: skip
def test_a_length_that_is_none_stores_nothing_else_than_the_bytes(receiver_url, vendor, length):
    received = said(receiver_url, head(b"Content-Length: " + length, signed(BODY)) + BODY, patience=2)
    assert set(statuses(received)) <= STATUSES
    assert {bytes(row.body) for row in Delivery.objects.all()} <= {BODY}


@pytest.mark.parametrize(
    "lines",
    [
        (b"Content-Length: 3", b"Content-Length: 19"), (b"Content-Length: 19", b"Transfer-Encoding: chunked"),
        (b"Transfer-Encoding: identity", b"Content-Length: 19"), (b"Transfer-Encoding: chunked, gzip",),
        (b"Transfer-Encoding: xchunked", b"Content-Length: 19"), (b"Transfer-Encoding : chunked",),
    ],
)  # fmt: skip
def test_two_readings_of_a_length_are_never_two_requests(receiver_url, vendor, lines):
    """One reading: what is body is no request, and what is a request is no body."""
    other = b'{"reference": "smuggled"}'
    inner = head(b"Content-Length: %d" % len(other), signed(other)) + other
    said(receiver_url, head(*lines, signed(BODY), close=False) + b"0\r\n\r\n" + inner, patience=2)
    stored = [bytes(row.body) for row in Delivery.objects.all()]
    assert set(stored) <= {other, b"0\r\n\r\n" + inner[:14]}
    assert len(stored) <= 1


def test_several_requests_in_a_row_are_answered_in_a_row(receiver_url, vendor):
    bodies = [b'{"reference": "R%d"}' % n for n in range(20)]
    raw = b"".join(head(b"Content-Length: %d" % len(one), signed(one), close=one is bodies[-1]) + one for one in bodies)
    received = said(receiver_url, raw)
    assert statuses(received) == [200] * 20
    assert [bytes(row.body) for row in Delivery.objects.order_by("pk")] == bodies


def test_what_is_left_of_a_refused_body_is_no_request(receiver_url, vendor):
    other = b'{"reference": "smuggled"}'
    inner = head(b"Content-Length: %d" % len(other), signed(other)) + other
    body = inner * 600
    raw = head(b"Content-Length: %d" % len(body), signed(body), close=False) + body
    received = said(receiver_url, raw, patience=2)
    assert statuses(received) in ([400], [])  # it may have closed while we still wrote
    assert not Delivery.objects.exists()


def test_a_body_that_ends_too_early_is_stored_by_nobody(receiver_url, vendor):
    received = said(receiver_url, head(b"Content-Length: 50", signed(BODY)) + BODY, ends=True)
    assert statuses(received) in ([400], [])
    said(receiver_url, head(b"Transfer-Encoding: chunked", signed(BODY)) + b"13\r\n" + BODY[:4], ends=True)
    assert not Delivery.objects.exists()
    assert Supplier(receiver_url).sends(BODY).status == 200


def test_strangers_behind_one_address_never_limit_who_signs_rightly(receiver_url, vendor):
    supplier, over = Supplier(receiver_url), threading.Event()

    def strange(number):
        answers = set()
        while not over.is_set():
            answers.add(supplier.posts(b"%d" % number, {"X-Vendor-Signature": "0" * 64}, source="127.0.0.88").status)
        return answers

    with ThreadPoolExecutor(4) as pool:
        strangers = [pool.submit(strange, number) for number in range(4)]
        try:
            mine = [{"X-Vendor-Signature": sign(b"%d" % n, SECRET)} for n in range(60)]
            answers = [supplier.posts(b"%d" % n, one, source="127.0.0.88").status for n, one in enumerate(mine)]
        finally:
            over.set()
    assert answers == [200] * 60
    assert {status for one in strangers for status in one.result()} <= {401, 429}


# --- X-Forwarded-For, all of it ---

TRUSTED = sources.networks(["10.0.0.0/8", "fd00::/8"])
PEERS = ["203.0.113.9", "10.0.0.1", "::ffff:10.0.0.1", "fd00::1", "2001:db8::9", "fe80::1%eth0", "unix:", ""]
ENTRIES = [
    "198.51.100.7", "198.51.100.7:4711", "[2001:db8::5]:443", "2001:db8::5", "::ffff:198.51.100.7", "10.0.0.2",
    "fd00::2", "garbage", "", "unknown", "fe80::1%eth0", "01.02.03.04", "198.51.100.7 198.51.100.8", "_hidden",
]  # fmt: skip
MEANT = {
    "198.51.100.7:4711": "198.51.100.7", "[2001:db8::5]:443": "2001:db8::5", "::ffff:198.51.100.7": "198.51.100.7",
    "::ffff:10.0.0.1": "10.0.0.1",
}  # fmt: skip
NOBODY = {"garbage", "", "unknown", "fe80::1%eth0", "01.02.03.04", "198.51.100.7 198.51.100.8", "_hidden", "unix:"}
OURS_TOO = {"10.0.0.1", "10.0.0.2", "fd00::1", "fd00::2"}


def expected(peer, entries):
    """In words: from the right, past proxies of ours, the first that is none; whoever cannot be read is nobody."""
    for one in [peer, *reversed(entries)]:
        if one in NOBODY:
            return None
        found = MEANT.get(one, one)
        if found not in OURS_TOO:
            return found
    return found


@pytest.mark.parametrize("peer", PEERS)
def test_every_peer_with_every_two_entries(peer):
    wrong = []
    for entries in [(), *product(ENTRIES), *product(ENTRIES, repeat=2)]:
        said = ", ".join(entries)
        address = sources.find(peer, said, TRUSTED).address
        wanted = expected(peer, entries if said.strip() else ())
        if (str(address) if address else None) != wanted:
            wrong.append((peer, entries, str(address), wanted))
    assert wrong == []
