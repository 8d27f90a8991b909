import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.kit.text import REPLACEMENT
from organizer.upstream.clean import MAX_DEPTH, cleaned, parse

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=10)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=20,
)


def clean(text):
    doubts = []
    body = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return cleaned(parse(body), doubts), doubts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\u0000b"', f"a{REPLACEMENT}b"),
        (r'"\ud83d"', REPLACEMENT),
        (r'"\ude00\ud83d"', REPLACEMENT * 2),
        ('"\ud800"', REPLACEMENT),
        (r'{"deep": [{"x": "\u0000"}]}', {"deep": [{"x": REPLACEMENT}]}),
        (r'{"\u0000": 1}', {REPLACEMENT: 1}),
        ("[NaN, Infinity, -Infinity, 1e999]", [None] * 4),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ("9" * 5000, "9" * 1000),
    ],
)
def test_makes_it_storable_and_says_so(text, value):
    found, doubts = clean(text)
    assert found == value
    assert doubts


@pytest.mark.parametrize(
    "text", [r'"\ud83d\ude00"', '"שלום 🎉"', '{"a": [1, 2.5, true, null]}', "9" * 30, '"\\u202e"', "[]", '"\ufffd"']
)
def test_leaves_alone_what_is_well(text):
    assert clean(text) == (json.loads(text), [])


def test_names_the_place():
    _, doubts = clean(r'{"venue": {"city": "\u0000"}}')
    assert doubts == [f"venue.city had characters that cannot be stored; they are shown as {REPLACEMENT}"]


def test_cuts_what_is_nested_too_deeply():
    found, doubts = clean('{"id": "e1", "x": ' + "[" * 500 + "]" * 500 + "}")
    assert found["id"] == "e1"
    assert json.dumps(found).count("[") < MAX_DEPTH
    assert doubts == ["x was nested too deeply"]


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"[" * 300_000, b"{'a': 1}", b'{"a": 1}{'])
def test_says_that_it_is_no_json(body):
    with pytest.raises(ValueError):  # noqa: PT011  (whatever the reason)
        parse(body)


def test_reads_bytes_that_are_no_utf8():
    assert parse(b'{"name": "Zo\xeb"}') == {"name": f"Zo{REPLACEMENT}"}
    assert parse(b'\xef\xbb\xbf{"name": "Zo"}') == {"name": "Zo"}


@given(ANY_JSON)
def test_always_ends_in_strict_json(value):
    found, _ = clean(json.dumps(value))
    stored = json.dumps(found, allow_nan=False, ensure_ascii=False)
    assert "\\u0000" not in stored
    stored.encode("utf-8")
    assert cleaned(json.loads(stored), []) == found
