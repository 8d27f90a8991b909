from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from organizer.attendees.rules import LONG_AGO, effective
from organizer.kit.text import SORT_LENGTH

LUCJA = {
    "id": "t1",
    "status": "valid",
    "first_name": "Łucja",
    "last_name": "Wójcik",
    "email": "Lucja@X.example",
    "company": "ACME GmbH",
    "barcode": "ABC123",
    "created_at": "2026-10-25T02:30:00+02:00",
}
FIELDS = [*LUCJA, "checked_in_at", "upgrade", "ticket_class_name"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def test_folds_what_is_searched_and_sorted():
    columns = effective(LUCJA)
    assert columns.search == " lucja wojcik\nlucja@x.example\nacme\u00a0gmbh\nabc123"
    assert columns.sort_name == "lucja wojcik"
    assert columns.name == "Łucja Wójcik"


def test_only_name_parts_stand_after_a_space():
    assert " gm" not in effective(LUCJA).search
    assert " wo" in effective(LUCJA).search


def test_reads_times_across_a_clock_change():
    assert effective(LUCJA).registered_at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    later = effective(LUCJA | {"created_at": "2026-10-25T02:30:00+01:00"})
    assert later.registered_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


def test_a_guest_without_a_name_is_called_by_e_mail():
    columns = effective({"email": "a@b.example", "first_name": None})
    assert columns.name == "a@b.example"
    assert columns.sort_name == "a@b.example"


def test_lays_commands_over_the_payload_in_order():
    assert effective(LUCJA, [{"status": "rejected"}, {"status": "checked_in"}]).status == "checked_in"
    assert LUCJA["status"] == "valid"


def test_keeps_an_unknown_status():
    assert effective({"status": "teleported"}).status == "teleported"


def test_reads_an_upgrade():
    assert effective({"upgrade": {"status": "pending"}}).upgrade == "pending"
    assert effective({"upgrade": "yes"}).upgrade == ""


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_never_fails_on_odd_values(payload):
    columns = effective(payload)
    assert len(columns.sort_name) <= SORT_LENGTH
    assert columns.registered_at >= LONG_AGO or columns.registered_at.year >= 1000
    assert columns.search.startswith(" ")
