"""The table of transitions, as the contract gives it, cell by cell; then what must hold of every sequence of moves."""

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from servers.event_api import queries, rules
from servers.event_api.rules import Status
from servers.mail.models import OutgoingMail
from servers.tests import factories
from servers.tests.asserts import assert_refused

ONLY_PENDING = "Only a pending ticket can be rejected"
COLUMNS = ("valid", "checked_in", "pending_approval", "rejected", "deleted")
TABLE = {
    "invited": (200, 200, "An invited ticket is not waiting for approval", ONLY_PENDING, 200),
    "pending_approval": (200, 200, "=", 200, 200),
    "valid": ("=", 200, 200, ONLY_PENDING, 200),
    "checked_in": (200, "=", "A checked-in ticket cannot return to the queue", ONLY_PENDING, 200),
    "rejected": (
        "A rejected ticket cannot be approved",
        "This ticket was rejected",
        "A rejected ticket cannot return to the queue",
        "=",
        200,
    ),
    "deleted": (404, 404, 404, 404, "="),
}
CELLS = [(old, new, says) for old, row in TABLE.items() for new, says in zip(COLUMNS, row, strict=True)]


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new", "says"), CELLS)
def test_moves_as_the_table_says(api, event, ticket_class, old, new, says):
    guest = factories.attendee(ticket_class, old)
    before = guest.updated_at
    response = api.patch(f"/events/{event.pk}/attendees/{guest.pk}", {"status": new})
    guest.refresh_from_db()
    match says:
        case 200 | "=":
            assert (response.status_code, response.json()["data"]["status"], guest.status) == (200, new, new)
            assert (guest.updated_at == before) == (says == "=")
        case 404:
            assert_refused(response, 404, "Attendee not found")
        case reason:
            assert_refused(response, 422, reason)
            assert guest.status == old


@pytest.mark.django_db
@pytest.mark.parametrize(("old", "new", "says"), CELLS)
def test_mails_the_guest_of_a_move_and_of_nothing_else(api, event, ticket_class, old, new, says):
    guest = factories.attendee(ticket_class, old)
    body = {"status": new, "notify_guest": True, "custom_message": "See you"}
    api.patch(f"/events/{event.pk}/attendees/{guest.pk}", body)
    assert [mail.to for mail in OutgoingMail.objects.all()] == ([guest.email] if says == 200 else [])
    assert all("See you" in mail.text for mail in OutgoingMail.objects.all())


@pytest.mark.django_db
@pytest.mark.parametrize("old", ["invited", "pending_approval"])
def test_approves_only_while_there_are_seats(api, organization, old):
    event = factories.event(organization, capacity=3)
    full = factories.ticket_class(event, name="Full", quantity_total=2)
    for _ in range(2):
        factories.attendee(full)
    path, guest = f"/events/{event.pk}/attendees", factories.attendee(full, old)
    assert_refused(api.patch(f"{path}/{guest.pk}", {"status": "valid"}), 422, rules.CLASS_SOLD_OUT)
    room = factories.ticket_class(event, name="Room")
    first, second = (factories.attendee(room, old) for _ in range(2))
    assert api.patch(f"{path}/{first.pk}", {"status": "valid"}).status_code == 200
    assert_refused(api.patch(f"{path}/{second.pk}", {"status": "valid"}), 422, rules.EVENT_FULL)


@pytest.mark.django_db
def test_undoes_a_check_in_whatever_the_seats(api, event):
    full = factories.ticket_class(event, name="Full", quantity_total=1)
    factories.attendee(full)
    guest = factories.attendee(full, "checked_in")
    assert api.patch(f"/events/{event.pk}/attendees/{guest.pk}", {"status": "valid"}).status_code == 200


STATUS, TARGET = st.sampled_from(list(Status)), st.sampled_from(rules.TARGETS)


@given(STATUS, TARGET)
def test_changes_nothing_only_where_it_already_is(current, target):
    try:
        assert rules.changes(current, target) == (current != target)
    except rules.Gone:
        assert current == Status.DELETED != target
    except rules.Refused:
        assert current != target


@given(st.lists(TARGET, max_size=20), STATUS)
def test_never_brings_back_what_is_rejected_or_deleted(targets, current):
    for target in targets:
        before = current
        with contextlib.suppress(rules.Refused, rules.Gone):
            current = target if rules.changes(current, target) else current
        assert before != Status.DELETED or current == Status.DELETED
        assert before != Status.REJECTED or current in (Status.REJECTED, Status.DELETED)
        assert current != Status.REJECTED or before in (Status.PENDING, Status.REJECTED)


@given(*[st.integers(0, 50)] * 4, st.integers(1, 5))
def test_never_sells_beyond_a_total(class_total, class_sold, event_total, event_sold, wanted):
    totals = {
        "class_total": class_total,
        "class_sold": class_sold,
        "event_total": event_total,
        "event_sold": event_sold,
    }
    try:
        rules.check_seats(**totals, wanted=wanted)
    except rules.Refused:
        return
    assert not class_total or class_sold + wanted <= class_total
    assert not event_total or event_sold + wanted <= event_total


@pytest.mark.django_db
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.tuples(st.integers(0, 3), TARGET), max_size=12))
def test_approvals_never_exceed_the_seats(api, organization, moves):
    event = factories.event(organization)
    ticket_class = factories.ticket_class(event, quantity_total=2)
    guests = [factories.attendee(ticket_class, "pending_approval") for _ in range(4)]
    for number, target in moves:
        taken = queries.sold(event.attendees.all())
        response = api.patch(f"/events/{event.pk}/attendees/{guests[number].pk}", {"status": target})
        assert response.status_code in (200, 404, 422)
        if target == "valid" and queries.sold(event.attendees.all()) > taken:
            assert taken < 2
