"""The receiver over a socket, as production's command serves it: every status and every stored byte."""

import gzip
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from random import Random

import pytest

from organizer.accounts.models import AuditEntry
from organizer.webhooks import actions
from organizer.webhooks.models import Delivery, Rejection, Tally, Vendor
from organizer.webhooks.receiver.bodies import LARGEST
from organizer.webhooks.receiver.signatures import sign
from tests.support import processes
from tests.webhooks.live import PROXY, SECRET, Supplier

pytestmark = pytest.mark.django_db(transaction=True)
BODY = b'{"reference": "R1", "event": "order.accepted"}'


def stored() -> list[Delivery]:
    return list(Delivery.objects.order_by("pk"))


def soon(holds, what="the count"):
    """What is counted beside the store is written a moment later."""
    processes.wait_until(holds, seconds=10, what=what)


# --- what is stored, and what is answered ---


def test_stores_and_answers(supplier, vendor):
    said = supplier.sends(BODY, X_Webhook_Id="d-1", Content_Type="application/json")
    assert (said.status, said.body) == (200, {"received": True, "action": "reconcile"})
    assert said.headers["content-type"] == "application/json"
    assert said.headers["cache-control"] == "no-store"
    [row] = stored()
    assert (bytes(row.body), bytes(row.body_hash), row.body_size) == (BODY, sha256(BODY).digest(), len(BODY))
    assert (row.reference, row.reference_field, row.event) == ("R1", "reference", "order.accepted")
    assert (row.delivery_id, row.id_header, row.content_type) == ("d-1", "X-Webhook-Id", "application/json")
    assert (row.vendor_id, row.organization_id) == (vendor.pk, vendor.organization_id)
    assert (row.auth, row.secret_number, row.source, row.outcome) == ("hmac", 1, "127.0.0.1", "waiting")


def test_keeps_no_signature_beside_its_body(supplier):
    supplier.sends(BODY, X_Api_Token="t0ken", Cookie="a=b", Authorization="Bearer x", X_More="said")
    headers = dict(stored()[0].headers)
    assert {headers[name] for name in ("X-Vendor-Signature", "X-Api-Token", "Cookie", "Authorization")} == {
        "[redacted]"
    }
    assert headers["X-More"] == "said"


def test_keeps_what_nobody_can_read(supplier):
    for body in (b"", b"\xff\xfe\x00\x01", b"[" * 60_000, b"<xml/>", bytes(range(256))):
        said = supplier.sends(body)
        assert (said.status, said.action) == (200, "stored_only")
        row = stored()[-1]
        assert (bytes(row.body), row.outcome, row.settled_at is not None) == (body, "stored_only", True)


@pytest.mark.parametrize("body", [b'{"reference":"R\\u0000"}', b'{"event":"\\ud800","id":1}', b'{"id":"\\udfff"}'])
def test_takes_text_that_no_database_takes(supplier, body):
    assert supplier.sends(body).status == 200
    assert bytes(stored()[0].body) == body


def test_does_not_unpack(supplier):
    packed = gzip.compress(BODY)
    said = supplier.sends(packed, Content_Encoding="gzip")
    assert (said.action, bytes(stored()[0].body)) == ("stored_only", packed)


@pytest.mark.parametrize("chunks", [0, 1000, 65536])
@pytest.mark.parametrize("size", [0, 18, LARGEST - 1, LARGEST])
def test_takes_a_body_up_to_the_limit(supplier, size, chunks):
    body = b"x" * size
    said = supplier.posts(body, {"X-Vendor-Signature": sign(body, SECRET)}, chunks=chunks)
    assert said.status == 200
    assert bytes(stored()[0].body) == body


@pytest.mark.parametrize("chunks", [0, 1000])
@pytest.mark.parametrize("size", [LARGEST + 1, 70_000])
def test_refuses_a_longer_one(supplier, size, chunks):
    body = b"x" * size
    said = supplier.posts(body, {"X-Vendor-Signature": sign(body, SECRET)}, chunks=chunks)
    assert (said.status, said.body["error"]) == (400, "payload_too_large")
    assert stored() == []
    assert Rejection.objects.get().reason == "payload_too_large"


def test_refuses_by_what_is_declared(supplier):
    said = supplier.posts(b"", {"Content-Length": "99999999"})
    assert (said.status, said.body["error"]) == (400, "payload_too_large")


@pytest.mark.parametrize("length", ["abc", "-5"])
def test_refuses_an_odd_length(supplier, length):
    assert supplier.posts(b"x", {"Content-Length": length}).status == 400
    assert stored() == []


def test_reads_the_chunks_where_a_length_is_there_too(supplier):
    body = b'{"id":7}'
    said = supplier.posts(body, {"Content-Length": "3", "X-Vendor-Signature": sign(body, SECRET)}, chunks=4)
    assert said.status in (200, 400)
    assert [bytes(row.body) for row in stored()] == ([body] if said.status == 200 else [])


# --- the address ---


@pytest.mark.parametrize("method", ["GET", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH"])
def test_takes_nothing_but_a_post(supplier, method):
    said = supplier.says(method)
    assert (said.status, said.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "path",
    [
        "/api/webhooks/nobody", "/api/webhooks/", "/api/webhooks", "/api/webhooks/ACME", "/api/webhooks/acme%00",
        "/api/webhooks/acme%2Fx", "/api/webhooks/acme/x", "/api/webhooks//acme", "/api/webhooks/" + "a" * 5000,
        "/api/webhooks/%C5%81", "/api/webhooks/a", "/api/webhooks/acme%0A",
    ],
)  # fmt: skip
def test_knows_no_other_key(supplier, path):
    said = supplier.posts(BODY, {"X-Vendor-Signature": sign(BODY, SECRET)}, path=path)
    assert (said.status, said.body["error"]) == (404, "unknown_vendor")
    assert stored() == []


def test_serves_a_slash_at_the_end(supplier):
    said = supplier.posts(BODY, {"X-Vendor-Signature": sign(BODY, SECRET)}, path="/api/webhooks/acme/")
    assert said.status == 200


def test_leaves_all_other_addresses_alone(supplier):
    for path in ("/api/webhooksy", "/api/", "/accounts/login/"):
        assert b"<html" in supplier.says("GET", path=path).raw


def test_minds_no_cookie_no_host_and_no_form(supplier):
    said = supplier.sends(b"reference=R1", Content_Type="application/x-www-form-urlencoded", Cookie="foyer_session=x")
    assert (said.action, "set-cookie" in said.headers) == ("reconcile", False)


def test_a_switched_off_vendor_is_unknown_but_noted(supplier, add):
    add("off", active=False)
    said = Supplier(f"http://{supplier.address[0]}:{supplier.address[1]}", "off").sends(BODY)
    assert (said.status, said.body["error"]) == (404, "unknown_vendor")
    assert Rejection.objects.get().reason == "vendor_disabled"


# --- signatures ---


@pytest.mark.parametrize("form", ["{}", "sha256={}", "SHA256={}", " {} "])
def test_takes_the_signature_as_it_is_written(supplier, form):
    assert supplier.posts(BODY, {"X-Vendor-Signature": form.format(sign(BODY, SECRET).upper())}).status == 200


@pytest.mark.parametrize(
    ("headers", "error"),
    [
        ({}, "signature_missing"), ({"X-Vendor-Signature": ""}, "signature_missing"),
        ({"X-Vendor-Signature": " "}, "signature_missing"), ({"X-Other": sign(BODY, SECRET)}, "signature_missing"),
        ({"X-Vendor-Signature": "zz"}, "signature_invalid"), ({"X-Vendor-Signature": "\xff" * 64}, "signature_missing"),
        ({"X-Vendor-Signature": sign(BODY, "other")}, "signature_invalid"),
        ({"X-Vendor-Signature": sign(BODY + b" ", SECRET)}, "signature_invalid"),
    ],
)  # fmt: skip
def test_refuses_a_wrong_signature(supplier, headers, error):
    """The server passes no header on that is not ASCII."""
    said = supplier.posts(BODY, headers)
    assert (said.status, said.body["error"], said.body["received"]) == (401, error, False)
    assert stored() == []
    assert Rejection.objects.get().reason == error


def test_two_signatures_are_none(supplier):
    good = ("X-Vendor-Signature", sign(BODY, SECRET))
    assert supplier.posts(BODY, [good, good]).status == 401


def test_notes_where_the_signature_was_instead(supplier):
    supplier.posts(BODY, {"X-Hub-Signature-256": f"sha256={sign(BODY, SECRET)}"})
    row = Rejection.objects.get()
    assert (row.signature_header, row.found_in, row.would_match) == ("X-Vendor-Signature", "X-Hub-Signature-256", True)
    assert row.body_hash == sha256(BODY).hexdigest()[:12]


def test_looks_where_the_vendor_said(add, receiver_url):
    add("tix", signature_header="X-Tix-Sig")
    supplier = Supplier(receiver_url, "tix")
    assert supplier.sends(BODY, header="X-Tix-Sig").status == 200
    assert supplier.sends(BODY).status == 401


def test_a_secret_is_its_vendors(add, receiver_url, supplier):
    add("other", secret="another secret")
    assert Supplier(receiver_url, "other", SECRET).sends(BODY).status == 401


def test_takes_the_old_secret_until_its_time(supplier, vendor, cast):
    actions.rotate_secret(vendor=vendor, secret="fresh secret", by=cast.olive, overlap=timedelta(hours=24))
    renewed = Supplier(f"http://{supplier.address[0]}:{supplier.address[1]}", secret="fresh secret")
    assert [one.sends(b"%d" % at).status for at, one in enumerate((supplier, renewed))] == [200, 200]
    assert [row.secret_number for row in stored()] == [1, 2]
    old = vendor.secrets.get(number=1)
    soon(lambda: vendor.secrets.filter(pk=old.pk, used_at__isnull=False).exists(), "the use of the old secret")
    actions.end_old_secrets(vendor=vendor, by=cast.olive)
    assert [one.sends(b"x%d" % at).status for at, one in enumerate((supplier, renewed))] == [401, 200]
    assert AuditEntry.objects.filter(verb__startswith="vendor.").count() == 3


def test_a_vendor_without_a_secret_is_refused(supplier, vendor):
    vendor.secrets.all().delete()
    assert supplier.sends(BODY).status == 401


def test_signing_switched_on_holds_at_once(add, receiver_url, cast):
    vendor = add("later", "ip", allowed=["127.0.0.1"])
    supplier = Supplier(receiver_url, "later")
    assert supplier.posts(BODY).status == 200
    actions.rotate_secret(vendor=vendor, secret=SECRET, by=cast.olive, overlap=actions.USE_NOTED_EVERY)
    actions.change_vendor(vendor=vendor, by=cast.olive, auth="hmac")
    assert supplier.posts(BODY).status == 401


# --- addresses ---


@pytest.mark.parametrize(
    ("source", "forwarded", "status"),
    [
        ("127.0.0.5", [], 200),
        ("127.0.0.6", [], 403),
        ("127.0.0.6", ["127.0.0.5"], 403),
        (PROXY, ["127.0.0.5"], 200),
        (PROXY, ["127.0.0.5, 127.0.0.6"], 403),
        (PROXY, ["127.0.0.6", "127.0.0.5"], 200),
        (PROXY, ["127.0.0.5", "127.0.0.6"], 403),
        (PROXY, ["127.0.0.5:4711"], 200),
        (PROXY, ["::ffff:127.0.0.5"], 200),
        (PROXY, ["127.0.0.5, garbage"], 403),
        (PROXY, ["127.0.0.5," + PROXY], 200),
        (PROXY, [], 403),
    ],
)
def test_believes_the_proxy_and_nobody_else(add, receiver_url, source, forwarded, status):
    add("tessera", "ip", allowed=["127.0.0.5"])
    headers = [("X-Forwarded-For", value) for value in forwarded]
    said = Supplier(receiver_url, "tessera").posts(BODY, headers, source=source)
    assert said.status == status
    if status == 403:
        assert said.body["error"] == "source_not_allowed"
        assert Rejection.objects.get().reason == "source_not_allowed"


def test_a_signature_does_not_help_where_the_address_counts(add, receiver_url):
    add("tessera", "ip", allowed=["127.0.0.5"])
    assert Supplier(receiver_url, "tessera").sends(BODY).status == 403


# --- repetitions ---


def sent(supplier, *deliveries):
    """The actions of deliveries, each its body and its headers."""
    return [supplier.sends(body, **headers).action for body, headers in deliveries]


A, B = b'{"reference": "A"}', b'{"reference": "B"}'


@pytest.mark.parametrize(
    ("deliveries", "expected"),
    [
        ([(A, {"X_Webhook_Id": "1"}), (A, {"X_Webhook_Id": "1"})], "rd"),
        ([(A, {"X_Webhook_Id": "1"}), (B, {"X_Webhook_Id": "1"})], "rd"),
        ([(A, {"X_Webhook_Id": "1"}), (A, {"X_Request_Id": "1"})], "rd"),
        ([(A, {"X_Webhook_Id": "1"}), (A, {"X_Delivery_Id": "1"})], "rd"),
        ([(A, {"X_Webhook_Id": "1"}), (A, {"X_Webhook_Id": "2"})], "rr"),
        ([(A, {}), (A, {})], "rd"),
        ([(A, {}), (A + b" ", {})], "rr"),
        ([(A, {"Content_Type": "text/plain"}), (A, {"Content_Type": "application/json"})], "rd"),
        ([(A, {"X_Webhook_Id": "1"}), (A, {})], "rr"),
        ([(A, {}), (A, {"X_Webhook_Id": "1"})], "rr"),
        ([(A, {"X_Webhook_Id": " "}), (A, {"X_Webhook_Id": ""})], "rd"),
        ([(A, {"X_Webhook_Id": " ", "X_Request_Id": "1"}), (B, {"X_Request_Id": "1"})], "rd"),
        ([(A, {"X_Webhook_Id": "1", "X_Request_Id": "9"}), (B, {"X_Webhook_Id": "2", "X_Request_Id": "9"})], "rr"),
        ([(b"", {}), (b"", {})], "sd"),
        ([(A, {"X_Webhook_Id": "x" * 8000}), (A, {"X_Webhook_Id": "x" * 8000})], "rd"),
        ([(A, {"X_Webhook_Id": "x" * 300 + "1"}), (A, {"X_Webhook_Id": "x" * 300 + "2"})], "rr"),
        ([(A, {"X_Webhook_Id": "\xe9"}), (A, {"X_Webhook_Id": "\xe9"})], "rd"),
    ],
)
def test_knows_a_repetition(supplier, deliveries, expected):
    names = {"r": "reconcile", "d": "duplicate", "s": "stored_only"}
    assert sent(supplier, *deliveries) == [names[one] for one in expected]
    assert len(stored()) == len(expected) - expected.count("d")


def test_an_id_is_its_vendors(supplier, add, receiver_url):
    add("other")
    both = supplier, Supplier(receiver_url, "other")
    assert [one.sends(A, X_Webhook_Id="1").action for one in both] == ["reconcile", "reconcile"]


def test_a_refused_one_burns_no_id(supplier):
    assert supplier.posts(A, {"X-Webhook-Id": "1"}).status == 401
    assert supplier.sends(A, X_Webhook_Id="1").action == "reconcile"


def test_reads_only_the_id_headers_of_the_vendor(supplier, vendor):
    Vendor.objects.filter(pk=vendor.pk).update(id_headers=["X-Webhook-Id"])
    assert sent(supplier, (A, {"X_Request_Id": "1"}), (A, {"X_Request_Id": "2"})) == ["reconcile", "duplicate"]


def test_counts_repetitions_and_says_when_the_body_was_another(supplier):
    sent(supplier, (A, {"X_Webhook_Id": "1"}), (A, {"X_Webhook_Id": "1"}), (B, {"X_Webhook_Id": "1"}))
    soon(lambda: stored()[0].duplicates == 2, "two repetitions")
    [row] = stored()
    assert (row.flags, bytes(row.body)) == ([actions.REUSED_ID], A)
    assert row.last_duplicate_at >= row.received_at


def test_the_same_bytes_count_anew_after_the_vendors_window(receiver_url, add):
    add(same_body_for=60)
    supplier = Supplier(receiver_url)
    assert sent(supplier, (A, {}), (A, {})) == ["reconcile", "duplicate"]
    first = Delivery.objects.get()
    Delivery.objects.update(received_at=first.received_at - timedelta(seconds=61))
    assert sent(supplier, (A, {}), (A, {})) == ["reconcile", "duplicate"]
    assert sent(supplier, (A, {"X_Webhook_Id": "1"})) == ["reconcile"]
    assert len(stored()) == 3


def test_twelve_at_once_are_one(receiver_url, add):
    add()
    together = threading.Barrier(12)

    def one(number: int) -> tuple[int, str]:
        supplier = Supplier(receiver_url)
        together.wait()
        said = supplier.sends(b'{"reference": "R%d"}' % number)
        return said.status, said.body.get("action", "")

    with ThreadPoolExecutor(12) as pool:
        for number in range(100):
            answers = sorted(pool.map(one, [number] * 12))
            assert answers == [(200, "duplicate")] * 11 + [(200, "reconcile")]
    assert len(stored()) == 100


# --- limits ---


def test_a_vendor_has_its_budget(receiver_url, add):
    add(rate=0.01, burst=3)
    supplier = Supplier(receiver_url)
    answers = [supplier.sends(b"%d" % number) for number in range(5)]
    assert [said.status for said in answers] == [200, 200, 200, 429, 429]
    assert answers[-1].body["error"] == "rate_limited"
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert len(stored()) == 3
    assert not Rejection.objects.exists()
    soon(lambda: sum(Tally.objects.filter(reason="rate_limited").values_list("number", flat=True)) == 2)


def test_strangers_use_up_their_own_patience(receiver_url, add):
    add()
    stranger = Supplier(receiver_url, secret="guessed")
    answers = [stranger.posts(b"%d" % n, {"X-Vendor-Signature": "0" * 64}, source="127.0.0.77") for n in range(40)]
    statuses = [said.status for said in answers]
    assert statuses == [401] * 30 + [429] * 10
    assert int(answers[-1].headers["retry-after"]) >= 1
    good = {"X-Vendor-Signature": sign(BODY, SECRET)}
    assert Supplier(receiver_url).posts(BODY, good, source="127.0.0.77").status == 200
    assert stranger.posts(BODY, {}, source="127.0.0.78").status == 401


def test_keeps_a_sample_of_what_it_refuses_and_counts_all(vendor, monkeypatch):
    monkeypatch.setattr(actions, "SAMPLES_AN_HOUR", 3)
    for _ in range(5):
        actions.keep_rejection(
            vendor=vendor, elsewhere=None, status=401, reason="signature_missing", source=None, size=0, body_hash="",
            header_names=[],
        )  # fmt: skip
    assert Rejection.objects.count() == 3


# --- odd requests ---


def test_every_answer_is_json(supplier):
    odd = [
        supplier.says("POST", [("Content-Length", "0")], path=f"/api/webhooks/acme{end}")
        for end in ("?x=1", "?" + "y" * 5000, ";a", "%", "%ff", "/..", "//", "#", "%25")
    ]
    assert {said.status for said in odd} <= {400, 401, 404}
    assert all("error" in json.loads(said.raw) for said in odd if said.raw and said.status != 400)


def test_fuzzed_requests_get_the_tables_answers(supplier):
    """Bodies are stored byte for byte, and nothing but the table's statuses is answered."""
    random, kept = Random(7), []
    for number in range(300):
        body = random.randbytes(random.choice([0, 1, 20, 400])) + random.choice([b"", b'{"id":1}', b"reference=1"])
        headers = {"X-Webhook-Id": f"f{number}"} if random.random() < 0.7 else {}
        headers[random.choice(["X-A", "Content-Type", "Cookie", "X-Forwarded-For", "Accept", "Content-Encoding"])] = (
            "".join(chr(random.choice([*range(32, 127), *range(160, 256)])) for _ in range(random.randrange(60)))
        )
        signed = random.random() < 0.6
        headers["X-Vendor-Signature"] = sign(body, SECRET) if signed else random.choice(["", "x", "\xff" * 64])
        said = supplier.posts(body, headers, chunks=random.choice([0, 7]), source=f"127.0.1.{number % 200 + 1}")
        assert said.status in ((200,) if signed else (401,)), (headers, body)
        if said.body.get("action") in ("reconcile", "stored_only"):
            kept.append(body)
    assert [bytes(row.body) for row in stored()] == kept
