"""Of each row what would happen, and why not."""

import pytest

from organizer.imports.headings import CLASS, EMAIL, FIRST, LAST, NAME
from organizer.imports.reading.table import Row, Table
from organizer.imports.rules import Choices, Class, Known, Verdict, address, check, is_address, split_name

HEADER = ("E-mail", "Name", "Ticket")
FIELDS = (EMAIL, NAME, CLASS)
CLASSES = {"c1": Class("c1", "General", None), "c2": Class("c2", "Supporter", 1)}
BY_NAME = CLASSES | {"general": CLASSES["c1"], "supporter": CLASSES["c2"]}


def verdicts(*rows, statuses=None, room=None, default="c1", status="valid"):
    of = Table(HEADER, tuple(Row(n, row) for n, row in enumerate(rows, 2)), {})
    known = Known(statuses or {}, BY_NAME, room)
    return check(of, Choices(FIELDS, default, status), known)


def words(*rows, **known):
    return [one.verdict for one in verdicts(*rows, **known)]


def test_a_good_row_is_added():
    [one] = verdicts(("Ada@Mail.Test", "Ada Lovelace King", ""))
    assert (one.verdict, one.email, one.first_name, one.last_name) == ("add", "ada@mail.test", "Ada Lovelace", "King")
    assert (one.number, one.class_id, one.goes) == (2, "c1", True)


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (("", "Ada", ""), Verdict.NO_EMAIL),
        (("ada", "Ada", ""), Verdict.BAD_EMAIL),
        (("ada@mail", "Ada", ""), Verdict.BAD_EMAIL),
        (("=HYPERLINK(1)", "Ada", ""), Verdict.BAD_EMAIL),
        (("a" * 250 + "@b.test", "Ada", ""), Verdict.BAD_EMAIL),
        (("a@b.test", '=HYPERLINK("http://x")', ""), Verdict.BAD_NAME),
        (("a@b.test", "+cmd(1)", ""), Verdict.BAD_NAME),
        (("a@b.test", "#REF!", ""), Verdict.BAD_NAME),
        (("a@b.test", "x" * 121, ""), Verdict.BAD_NAME),
        (("a@b.test", "x" * 120, ""), Verdict.ADD),
        (("a@b.test", "Ada", "Backstage"), Verdict.NO_CLASS),
        (("a@b.test", "Ada", "GENERAL"), Verdict.ADD),
        (("a@b.test", "Ada", "c2"), Verdict.ADD),
        (HEADER, Verdict.HEADING),
    ],
)
def test_names_what_is_wrong_with_a_row(row, verdict):
    assert words(row) == [verdict]


@pytest.mark.parametrize(
    ("had", "status", "verdict"),
    [
        ("valid", "valid", Verdict.HAS_TICKET),
        ("checked_in", "valid", Verdict.HAS_TICKET),
        ("pending_approval", "valid", Verdict.HAS_TICKET),
        ("invited", "valid", Verdict.UPGRADE),
        ("invited", "invited", Verdict.HAS_TICKET),
        ("rejected", "valid", Verdict.ANEW),
        ("deleted", "valid", Verdict.ANEW),
    ],
)
def test_knows_who_has_a_ticket(had, status, verdict):
    assert words(("ada@b.test", "Ada", ""), statuses={"ada@b.test": had}, status=status) == [verdict]


def test_takes_an_address_once_and_says_where_it_was():
    first, second = verdicts(("a@b.test", "Ada", ""), ("A@B.test", "Ada", ""))
    assert (first.verdict, second.verdict, second.detail) == ("add", "twice", "2")


def test_a_refused_row_does_not_stand_in_the_way_of_its_correction():
    assert words(("a@b.test", "Ada", "Backstage"), ("a@b.test", "Ada", "General")) == ["no_class", "add"]


def test_who_comes_first_gets_the_seat():
    rows = [(f"{n}@b.test", "Ada", "Supporter") for n in range(2)]
    assert words(*rows) == ["add", "class_full"]
    assert words(*rows, status="pending_approval") == ["add", "add"]  # who waits takes no seat


def test_an_event_has_its_own_seats():
    assert words(*[(f"{n}@b.test", "Ada", "") for n in range(3)], room=2) == ["add", "add", "event_full"]


def test_without_a_class_for_all_each_row_must_name_one():
    assert words(("a@b.test", "Ada", ""), ("c@d.test", "Bo", "General"), default="") == ["no_class", "add"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Ada King <Ada@Mail.test>", ("ada@mail.test", "Ada King")),
        ("mailto:ada@mail.test", ("ada@mail.test", "")),
        (" ada@mail.test; ", ("ada@mail.test", "")),
        ("", ("", "")),
    ],
)
def test_takes_addresses_as_people_copy_them(said, meant):
    assert address(said) == meant


@pytest.mark.parametrize("email", ["a@b", "a@@b.test", "a b@c.test", "a@.test", "a@b.test.", "a..b@c.test", "@b.test"])
def test_slips_of_the_hand_are_no_addresses(email):
    assert not is_address(email)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Ada King", ("Ada", "King")),
        ("King, Ada", ("Ada", "King")),
        ("Ada", ("Ada", "")),
        ("María José García", ("María José", "García")),
        ("King,", ("King,", "")),
        ("", ("", "")),
    ],
)
def test_splits_whole_names(name, parts):
    assert split_name(name) == parts


def test_names_of_two_columns_win_over_a_whole_one():
    of = Table(HEADER, (Row(2, ("a@b.test", "Ada", "King")),), {})
    [one] = check(of, Choices((EMAIL, FIRST, LAST), "c1"), Known({}, BY_NAME))
    assert (one.first_name, one.last_name) == ("Ada", "King")
