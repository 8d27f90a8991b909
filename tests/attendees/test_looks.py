"""A row that is filled in says what its template says, letter for letter."""

from datetime import UTC, datetime
from itertools import product
from types import SimpleNamespace

import pytest
from django.template import Context
from django.template.loader import render_to_string
from django.utils import timezone

from organizer.attendees import columns, looks
from organizer.attendees.columns import APPROVALS, EVENT, EVERYBODY, STATUSES
from organizer.attendees.exports import Line
from organizer.attendees.models import Attendee
from organizer.attendees.rows import GuestRow
from organizer.events.models import Event
from organizer.kit.ids import new_id
from organizer.kit.stencils import mark

HOSTILE = f"""<script>alert('1')</script> & "{{{{ id }}}}" {mark("email")}{mark("id")}"""
ARRIVED = datetime(2026, 3, 29, 0, 59, tzinfo=UTC)
EVERY = tuple(column.key for column in columns.COLUMNS)


def guest(**fields):
    usual = {
        "id": new_id(), "event": Event(name=f"Night {HOSTILE}"), "status": "valid", "name": f"Ada {HOSTILE}",
        "email": f"ada@{HOSTILE}", "company": HOSTILE, "barcode": HOSTILE, "first_name": "Ada", "remote_id": "r-1",
        "ticket_class_name": f"Press {HOSTILE}", "registered_at": ARRIVED,
    }  # fmt: skip
    return Attendee(**usual | fields)


def both(row, *, may_manage=True):
    organization = SimpleNamespace(slug="harbour")
    context = {"organization": organization, "may_manage": may_manage}
    filled = looks.drawn(row, "harbour", may_manage=may_manage, context=Context(context))
    return filled, render_to_string("attendees/_row.html", context | {"row": row, "guest": row.guest})


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("name", [EVENT, EVERYBODY, APPROVALS])
def test_are_filled_in_as_the_template_has_it(name, status):
    for arrived, of, chosen, may_manage in product((None, ARRIVED), ("", f"A {HOSTILE}"), ((), EVERY), (True, False)):
        row = GuestRow(guest(status=status, checked_in_at=arrived, ticket_class_name=of), name, chosen=chosen)
        assert looks.of(row)
        filled, rendered = both(row, may_manage=may_manage)
        assert filled == rendered
        assert "<script>" not in filled


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "waitlisted"},
        {"name": ""},
        {"gone_at": timezone.now()},
        {"doubts": ["no e-mail"]},
        {"outbox": {"state": "refused", "kind": "attendees.approve", "seq": 7, "reason": HOSTILE}},
        {"outbox": {"state": "waiting", "kind": "attendees.approve", "seq": 7, "due": "2026-01-01T00:00:00+00:00"}},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_are_made_one_by_one_where_something_is_unusual(fields):
    row = GuestRow(guest(**fields), EVENT)
    assert looks.of(row) is None
    filled, rendered = both(row)
    assert filled.strip() == rendered.strip()
    assert "<script>" not in filled


def test_have_nothing_of_another_guest():
    first, second = (GuestRow(guest(name=name, email=f"{name}@mail.test"), EVENT) for name in ("Ada", "Zoe"))
    assert looks.of(first) == looks.of(second)
    assert "Ada" not in both(second)[0].replace("ada@", "")
    assert str(first.guest.pk) not in both(second)[0]


def test_refuse_a_template_that_asks_for_what_no_look_knows():
    with pytest.raises(NotImplementedError, match="payload"):
        looks.StandIn(name="x").payload  # noqa: B018


@pytest.mark.parametrize("status", ["valid", "checked_in"])
def test_print_a_line_as_the_template_has_it(status):
    line = Line(*[HOSTILE] * 4, status)
    rendered = render_to_string("attendees/_line.html", {"guest": line})
    assert looks.printed(line) == rendered
    assert ("is-in" in rendered) == (status == "checked_in")
    assert "<script>" not in rendered
