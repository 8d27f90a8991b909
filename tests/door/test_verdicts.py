from datetime import UTC, datetime, timedelta

import pytest

from organizer.attendees.verdicts import Inside, Ticket, codes, is_no_ticket, masked, reads_as_name, verdict

NOW = datetime(2026, 6, 1, 20, 14, tzinfo=UTC)


def inside(seconds, *, here=False):
    return Inside(NOW - timedelta(seconds=seconds), "North door", "Sam", here)


TABLE = [
    ("may come in", Ticket("valid"), "admitted"),
    ("came in a moment ago, here", Ticket("checked_in", inside=inside(4, here=True)), "just_now"),
    ("came in a while ago, here", Ticket("checked_in", inside=inside(11, here=True)), "already_in"),
    ("came in a moment ago, elsewhere", Ticket("checked_in", inside=inside(0)), "already_in"),
    ("is inside, whatever the list says", Ticket("valid", inside=inside(90)), "already_in"),
    ("was checked in by nobody here", Ticket("checked_in"), "recorded"),
    ("was removed here, the provider refused", Ticket("checked_in", removed_here=True), "admitted"),
    ("waits for approval", Ticket("pending_approval"), "pending"),
    ("was only invited", Ticket("invited"), "invited"),
    ("was declined", Ticket("rejected"), "rejected"),
    ("was cancelled", Ticket("deleted"), "cancelled"),
    ("is gone from the list", Ticket("valid", gone=True), "cancelled"),
    ("is of another event", Ticket("valid", of_this_event=False), "other_event"),
    ("is inside at another event", Ticket("checked_in", of_this_event=False, inside=inside(3)), "other_event"),
    ("has a status nobody knows", Ticket("on_hold"), "odd"),
    ("is nobody's", None, "unknown"),
]


@pytest.mark.parametrize(("ticket", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_says_of_a_ticket_that(ticket, expected):
    assert verdict(ticket, now=NOW) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FOY1", ["FOY1"]),
        ("\x02 FOY1\r\n", ["FOY1"]),
        ("https://x.test/t/FOY1?y=1", ["https://x.test/t/FOY1?y=1", "FOY1"]),
        ("https://x.test/t/FOY%2F1/", ["https://x.test/t/FOY%2F1/", "FOY/1"]),
        ("https://x.test/", ["https://x.test/"]),
        ("http://[broken", ["http://[broken"]),
        ("", []),
        ("\x00\x1b", []),
        ("9" * 201, []),
    ],
)
def test_reads_codes(text, expected):
    assert codes(text) == expected


@pytest.mark.parametrize(
    "text", ["WIFI:S:bar;P:x;;", "BEGIN:VCARD", "mailto:a@b.c", "https://x.test/", "http://[broken", "9" * 201]
)
def test_knows_what_is_no_ticket(text):
    assert is_no_ticket(text)


@pytest.mark.parametrize("text", ["FOY1", "https://x.test/t/FOY1", "Ana Silva", "8f14e45f-ceea"])
def test_takes_the_rest_for_a_ticket(text):
    assert not is_no_ticket(text)


@pytest.mark.parametrize(
    ("text", "is_name"),
    [
        ("an", True), ("Łucja Wójcik", True), ("ana3@mail.test", True), ("محمد", True), ("O'Neill", True),
        ("a", False), ("FOY00017", False), ("1234", False), ("https://x.test/anna", False), ("", False),
    ],
)  # fmt: skip
def test_tells_a_name_from_a_code(text, is_name):
    assert reads_as_name(text) is is_name


@pytest.mark.parametrize(
    ("email", "shown"), [("ana@mail.test", "a…@mail.test"), ("@mail.test", "…@mail.test"), ("", "")]
)
def test_masks_an_address(email, shown):
    assert masked(email) == shown
