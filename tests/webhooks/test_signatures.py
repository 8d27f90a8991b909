"""Signatures and addresses: the tables of both, row by row, without a server."""

import re

import pytest

from organizer.webhooks import rules
from organizer.webhooks.receiver import signatures, sources
from organizer.webhooks.receiver.signatures import matching, sign
from tests.support.processes import ROOT

BODY, SECRET = b'{"reference": "R1"}', "whsec_abc"
GOOD = sign(BODY, SECRET)


def test_signs_as_the_vector_says():
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"  # RFC 4231, 4.3
    assert sign(b"what do ya want for nothing?", "Jefe") == expected


@pytest.mark.parametrize(
    "body", [b'{"event": "order.accepted", "reference": "TEST-1"}', b"reference=TEST-3&event=ping"]
)
def test_the_guide_for_suppliers_has_right_vectors(body):
    said = (ROOT / "docs" / "webhooks.md").read_text()
    assert f"| `{body.decode()}` | `{sign(body, 'a secret that is no secret')}` |" in said


@pytest.mark.parametrize("said", [GOOD, f"sha256={GOOD}", GOOD.upper(), f"SHA256={GOOD.upper()}", f"  {GOOD} "])
def test_takes(said):
    assert matching(BODY, said, [SECRET]) == 0


@pytest.mark.parametrize(
    "said",
    [
        "", "sha256=", GOOD[:-1], GOOD + "0", f"sha1={GOOD}", f"sha256=sha256={GOOD}", f"{GOOD},{GOOD}", "zz" * 32,
        "łącznik", "\xff" * 64, "KQq1Ho7MCTM2cBU+2XgZNqjqxfYn1YDX1OCUFUwHCDc=", "0" * 64, f"{GOOD}\x00",
        "٣" * 64, GOOD.replace(GOOD[0], "١", 1),
    ],
)  # fmt: skip
def test_refuses(said):
    assert matching(BODY, said, [SECRET]) is None


def test_needs_the_very_bytes():
    assert matching(BODY.replace(b" ", b""), GOOD, [SECRET]) is None


def test_tries_each_secret_and_says_which():
    assert [matching(BODY, sign(BODY, one), ["new", "old"]) for one in ("new", "old", "other")] == [0, 1, None]


def test_takes_nothing_without_a_secret():
    assert matching(BODY, sign(BODY, ""), []) is None


def test_an_empty_body_has_a_signature():
    assert signatures.matching(b"", sign(b"", SECRET), [SECRET]) == 0


PROXIES = sources.networks(["10.0.0.0/8", "fd00::/8"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.9", "", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.7", "203.0.113.9"),  # nobody of ours says so
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.7", "198.51.100.7"),  # the left end is the caller's own word
        ("10.0.0.1", "1.1.1.1, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("10.0.0.1", "1.1.1.1,10.0.0.3,10.0.0.2", "1.1.1.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
        ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("10.0.0.1", "[2001:db8::1]", "2001:db8::1"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("10.0.0.1", "198.51.100.7, garbage", None),
        ("10.0.0.1", "198.51.100.7, ", None),
        ("10.0.0.1", "198.51.100.7, unknown, 10.0.0.2", None),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("fd00::1", "::ffff:198.51.100.7", "198.51.100.7"),
        ("fe80::1%eth0", "", None),
        ("10.0.0.1", "fe80::1%eth0", None),
        ("10.0.0.1", "01.02.03.04", None),
        ("", "198.51.100.7", None),
        ("unix:", "198.51.100.7", None),
    ],
)
def test_knows_who_calls(peer, forwarded, expected):
    found = sources.find(peer, forwarded, PROXIES).address
    assert (str(found) if found else None) == expected


@pytest.mark.parametrize(
    ("address", "allowed", "is_in"),
    [
        ("1.2.3.4", ["1.2.3.0/24"], True), ("1.2.4.4", ["1.2.3.0/24"], False), ("1.2.3.4", ["1.2.3.4"], True),
        ("::ffff:1.2.3.4", ["1.2.3.0/24"], True), ("1.2.3.4", ["::ffff:1.2.3.0/120"], True),
        ("2001:db8::5", ["2001:db8::/32", "1.2.3.0/24"], True), ("1.2.3.4", [], False),
    ],
)  # fmt: skip
def test_knows_who_is_allowed(address, allowed, is_in):
    assert sources.contains(sources.networks(allowed), sources.parse(address)) is is_in


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("X-Vendor-Signature", True), ("X-Acme.Sig", True), ("Signature", True), ("", False), ("X Sig", False),
        ("X-Sig:", False), ("Authorization", False), ("Host", False), ("Content-Type", False), ("cookie", False),
        ("X-Forwarded-For", False), ("X-Forwarded-Host", False), ("X_Sig", False), ("X-Şig", False), ("x" * 101, False),
    ],
)  # fmt: skip
def test_knows_a_header_for_signatures(name, fits):
    assert rules.is_header_name(name) is fits


# --- what docs/webhooks.md says ---

DOCS = (ROOT / "docs" / "webhooks.md").read_text()


def test_the_documented_vectors_are_right():
    vectors = re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", DOCS, re.M)
    assert len(vectors) == 2
    assert [sign(body.encode(), "a secret that is no secret") for body, _ in vectors] == [said for _, said in vectors]


def test_every_refusal_is_documented():
    source = "".join(
        (ROOT / "organizer/webhooks/receiver" / name).read_text() for name in ("middleware.py", "bodies.py")
    )
    codes = set(re.findall(r'(?:Refused\(\d+, |CouldNotRead\()"(\w+)"', source))
    assert len(codes) >= 10
    assert sorted(code for code in codes if f"`{code}`" not in DOCS) == []
