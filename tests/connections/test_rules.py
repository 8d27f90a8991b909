from datetime import UTC, datetime, timedelta

import pytest

from organizer.connections import rules


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("https://API.Example.test/api/v1/", "https://api.example.test/api/v1"),
        ("  https://api.example.test:443/api/v1  ", "https://api.example.test/api/v1"),
        ("http://localhost:80", "http://localhost"),
        ("http://localhost:8001/api/v1", "http://localhost:8001/api/v1"),
        ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("https://api.example.test./v1", "https://api.example.test/v1"),
        ("HTTPS://api.example.test", "https://api.example.test"),
    ],
)
def test_stores_one_spelling_of_an_address(typed, stored):
    assert rules.address(typed) == stored


@pytest.mark.parametrize(
    "typed",
    [
        "", "api.example.test", "ftp://api.example.test", "https://", "https:///x", "https://user:pw@host/",
        "https://host/?key=1", "https://host/#x", "https://host:port/", "https://host:99999/", "https://[::1",
        "javascript:alert(1)", "https://a b/", "https://host/a\nb", "https://\x00/",
    ],
)  # fmt: skip
def test_takes_no_other_text_for_an_address(typed):
    with pytest.raises(ValueError):  # noqa: PT011  (each says something else)
        rules.address(typed)


@pytest.mark.parametrize("url", ["http://api.example.test", "https://localhost", "https://10.0.0.1", "https://[::1]/x"])
def test_sees_a_private_address(url):
    assert rules.is_private_by_sight(url)


def test_sees_a_public_address():
    assert not rules.is_private_by_sight("https://api.example.test/api/v1")


@pytest.mark.parametrize("key", ["", "short", "with space in it", "new\nline-in-it", "ключключ", "x" * 501])
def test_takes_no_other_text_for_a_key(key):
    assert not rules.is_key(key)


def test_shows_little_of_a_key():
    assert rules.shown_parts("evt_live_" + "a" * 39 + "wxyz") == ("evt_live_aaa", "wxyz")
    assert rules.shown_parts("12345678") == ("12", "")


def test_says_a_scope_in_words():
    assert rules.scope_in_words("ticket_classes:write") == "change ticket classes"
    assert rules.scope_in_words("attendees:read") == "read guests"


NOW = datetime(2026, 11, 21, tzinfo=UTC)
LACKS = {"events:read": "granted", "attendees:read": "denied"}


@pytest.mark.parametrize(
    ("health", "scopes", "minutes", "due"),
    [
        ("checking", {}, None, True),
        ("working", {}, None, True),
        ("key_refused", {}, None, False),
        ("unreachable", {}, 0.5, False),
        ("unreachable", {}, 2, True),
        ("unreachable", LACKS, 60, False),
        ("working", {}, 0.5, False),
        ("working", {}, 2, True),
        ("working", LACKS, 4, False),
        ("working", LACKS, 6, True),
        ("working", {"events:read": "granted"}, 600, False),
    ],
)
def test_tries_again_what_may_have_changed(health, scopes, minutes, due):
    checked_at = None if minutes is None else NOW - timedelta(minutes=minutes)
    assert rules.is_check_due(health, scopes, checked_at, NOW) == due
