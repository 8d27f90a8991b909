"""Which reference and event a body holds: the table of bodies, row by row."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from organizer.webhooks.receiver import reading
from organizer.webhooks.receiver.reading import DUPLICATE_KEYS, ID_BESIDE_REFERENCE, REPEATED_FIELD, SHADOWED, read


@pytest.mark.parametrize(
    ("body", "reference", "field"),
    [
        (b'{"reference":"R1"}', "R1", "reference"),
        (b'{"reference":"R1","order_id":"S9"}', "S9", "order_id"),
        (b'{"id":"a","reference":"b","orderId":"c"}', "c", "orderId"),
        (b'{"id":"a","reference":"b"}', "b", "reference"),
        (b'{"OrderID":"a","Order_Id":"b","id":"c"}', "c", "id"),
        (b'{"order_id":null,"reference":"R1"}', "R1", "reference"),
        (b'{"order_id":"","reference":"R1"}', "R1", "reference"),
        (b'{"order_id":"  ","reference":" R1 "}', "R1", "reference"),
        (b'{"id":123}', "123", "id"),
        (b'{"id":-5}', "-5", "id"),
        (b'{"order":{"id":"S9"},"reference":"R1"}', "R1", "reference"),
        (b'{"id":"a","id":"b"}', "b", "id"),
        ('\ufeff{"reference":"R1"}'.encode(), "R1", "reference"),
        ('{"reference":"R1"}'.encode("utf-16"), "R1", "reference"),
        (b'{"order_id":"R\\u0000","reference":"R1"}', "R1", "reference"),
        (b'{"order_id":"\\ud800","reference":"R1"}', "R1", "reference"),
        (b'{"order_id":"' + b"x" * 300 + b'","reference":"R1"}', "R1", "reference"),
        (b'{"reference":"a&b#c/d\\r\\ne"}', "a&b#c/d\r\ne", "reference"),
        (b'{"reference":"\xc5\x81\xc3\xb3d\xc5\xba"}', "Łódź", "reference"),
        (b"reference=R1&event=order.accepted", "R1", "reference"),
        (b'payload={"reference":"R1"}', "R1", "reference"),
        (b"payload=%7B%22reference%22%3A%22R1%22%7D", "R1", "reference"),
        (b'id=5&payload={"order_id":"S"}', "5", "id"),
        (b'note={"no":1}&payload={"order_id":"S"}', "", ""),
        (b"reference=a&reference=b", "a", "reference"),
        (b"reference=%ff&id=5", "5", "id"),
        (b"order_id=+&reference=R%201", "R 1", "reference"),
    ],
)
def test_finds_the_reference(body, reference, field):
    said = read(body)
    assert (said.reference, said.field) == (reference, field)


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"hello", b"<order><id>5</id></order>", b"\x00\x01\xff", b"\x1f\x8b\x08\x00zipped",
        b'{"id":true}', b'{"id":1.5}', b'{"id":1e3}', b'{"id":NaN}', b'{"id":1e400}', b'{"id":[1]}', b'{"id":{}}',
        b'{"id":' + b"9" * 5000 + b"}",
        b'{"data":{"reference":"R1"}}', b'[{"reference":"R1"}]', b'"R1"', b'"{\\"reference\\":\\"R1\\"}"',
        b'{"reference":"R1",}', b'{"reference":"R1"', b'{"reference":"R1"}}', b'{"reference":"\x00R1"}',
        b"[" * 65536, b'{"a":' * 13000, b'{"reference":"\xed\xa0\x80"}', b'{"reference":"\xff"}',
        b"&".join(b"f%d=1" % number for number in range(16000)) + b"&reference=R1",
        b'--b\r\nContent-Disposition: form-data; name="reference"\r\n\r\nR1\r\n--b--',
        b'["x=1&reference=R1"]',
    ],
)  # fmt: skip
def test_finds_no_reference(body):
    assert (read(body).reference, read(body).field) == ("", "")


@pytest.mark.parametrize(
    ("body", "event"),
    [
        (b'{"reference":"R1","event":"order.accepted"}', "order.accepted"),
        (b'{"event":"ping"}', "ping"),
        (b'{"id":1,"event":"Order.ACCEPTED"}', "Order.ACCEPTED"),
        (b'{"id":1}', ""), (b'{"id":1,"event":5}', ""), (b'{"id":1,"event":null}', ""),
        (b'{"id":1,"event":"' + b"x" * 10_000 + b'"}', "x" * 100),
        (b'{"id":1,"event":"a\\u0000b\\ud800c"}', "abc"),
        (b'{"id":1,"event":"<b>x</b>"}', "<b>x</b>"),
        (b"id=5&event=a.b", "a.b"), (b'payload={"id":5,"event":"a.b"}', "a.b"),
        (b'id=5&payload={"event":"inner"}', ""), (b'event=outer&payload={"id":1,"event":"inner"}', "outer"),
    ],
)  # fmt: skip
def test_finds_the_event(body, event):
    assert read(body).event == event


@pytest.mark.parametrize(
    ("body", "flags"),
    [
        (b'{"reference":"R"}', ()),
        (b'{"reference":"R","order_id":"S"}', (SHADOWED,)),
        (b'{"reference":"R","id":"S"}', (ID_BESIDE_REFERENCE,)),
        (b'{"id":"a","id":"b"}', (DUPLICATE_KEYS,)),
        (b'{"reference":"R","x":{"a":1,"a":2}}', ()),
        (b"reference=a&reference=b", (REPEATED_FIELD,)),
    ],
)
def test_says_what_is_odd(body, flags):
    assert read(body).flags == flags


@given(st.binary(max_size=2000) | st.text(max_size=500).map(str.encode))
def test_reads_anything(body):
    said = read(body)
    assert len(said.reference) <= reading.LONGEST_REFERENCE
    assert "\x00" not in said.reference + said.event
    (said.reference + said.event).encode()


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text(), max_size=2)


@given(st.dictionaries(st.sampled_from([*reading.IDENTIFIERS, "event", "more"]), _VALUES))
def test_takes_the_first_that_is_usable(said):
    usable = [
        name for name in reading.IDENTIFIERS
        if (isinstance(said.get(name), str) and said[name].strip() and "\x00" not in said[name])
        or (isinstance(said.get(name), int) and not isinstance(said[name], bool))
    ]  # fmt: skip
    assert read(json.dumps(said).encode()).field == (usable[0] if usable else "")
