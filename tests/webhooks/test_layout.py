"""How a body is shown: what was read from it, and that nothing breaks the page. Pure."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.webhooks import layout
from organizer.webhooks.layout import HEX, PRETTY, RAW, shown
from organizer.webhooks.receiver import reading


def text_of(line):
    return "".join(piece.text for piece in line.pieces)


def marked(body, view=PRETTY):
    """The marked lines: what they say without indentation, their mark and note."""
    lines = shown(body, view, reading.read(body).field).lines
    return [(text_of(line).strip(), line.mark, line.note) for line in lines if line.mark]


def test_marks_what_was_read_and_what_it_outranked():
    assert marked(b'{"event":"a","order_id":"S9","reference":"R1","data":{"id":"x"}}') == [
        ('"order_id": "S9",', "read", "read as the order"),
        ('"reference": "R1",', "unused", "not used: order_id wins over reference"),
    ]


@pytest.mark.parametrize("value", ["null", '""', "true", "1.5", "1e3", "[1]", "{}", '"\\ud800"', '"a\\u0000b"'])
def test_says_why_a_name_was_passed_over(value):
    body = b'{"order_id":%s,"reference":"R1"}' % value.encode()
    assert [(mark, note) for _, mark, note in marked(body)] == [
        ("unused", "not used: it can be nobody's reference"),
        ("read", "read as the order"),
    ]


def test_marks_the_one_that_counts_of_a_name_that_stands_there_twice():
    assert [mark for _, mark, _ in marked(b'{"id":"a","id":"b"}')] == ["unused", "read"]
    assert [mark for _, mark, _ in marked(b"reference=a&reference=b")] == ["read", "unused"]


def test_marks_the_field_whose_json_was_read():
    body = b"note=hi&payload=%7B%22reference%22%3A%22R1%22%7D"
    assert marked(body) == [
        ('payload = {"reference":"R1"}', "read", "the order was read from the JSON in here, reference")
    ]


def test_keeps_numbers_and_names_as_they_were_sent():
    body = b'{"a":1.10,"b":1e400,"c":' + b"9" * 400 + b',"a":-0}'
    lines = [text_of(line) for line in shown(body, PRETTY, "").lines]
    assert lines[1:3] == ['  "a": 1.10,', '  "b": 1e400,']
    assert lines[4] == '  "a": -0'


def test_shows_what_would_turn_the_text_around():
    assert shown('{"a":"\u202ex"}'.encode(), RAW, "").text == '{"a":"\\u202ex"}'
    assert "\u202e" not in text_of(shown('{"a":"\u202ex"}'.encode(), PRETTY, "").lines[0])
    assert shown(b"a\x00b\x1b", RAW, "").text == "a\u2400b\u241b"


@pytest.mark.parametrize(
    "body", [b"[" * 65_536, b'{"a":' * 13_000, b"[" * 45 + b"]" * 45, b"[" + b"1," * 30_000 + b"1]", b"<xml/>", b"\xff"]
)
def test_shows_as_text_what_cannot_be_laid_out(body):
    assert shown(body, PRETTY, "").view == RAW
    assert len(shown(body, PRETTY, "").text) >= len(body)


def test_shows_bytes_with_what_can_be_read_of_them():
    assert shown(bytes(range(0x3E, 0x50)), HEX, "").text.splitlines() == [
        "000000  3e 3f 40 41 42 43 44 45 46 47 48 49 4a 4b 4c 4d  >?@ABCDEFGHIJKLM",
        "000010  4e 4f                                            NO",
    ]


@given(st.binary(max_size=600) | st.text(max_size=200).map(str.encode), st.sampled_from(layout.VIEWS))
def test_shows_anything(body, view):
    seen = shown(body, view, reading.read(body).field)
    text = seen.text + "".join(text_of(line) for line in seen.lines)
    text.encode()
    assert "\x00" not in text


_TEXT = st.text(st.characters(categories=("L", "N", "P"), exclude_characters="\\"), max_size=8)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
)


@given(_JSON)
def test_lays_out_the_same_value(value):
    seen = shown(json.dumps(value).encode(), PRETTY, "")
    assert json.loads("\n".join(text_of(line) for line in seen.lines)) == value
