from django.utils import timezone

from organizer.attendees.models import Attendee
from tests.support import mirror

APPROVALS = "/o/harbour/approvals/"


def names(answer):
    return [row.guest.name for row in answer.context["guests"].rows]


def pending(event, name, **fields):
    return mirror.guest(event, first_name=name, last_name="Waits", status="pending_approval", **fields)


def test_shows_who_waits_at_all_events(olive, event):
    other = mirror.event(event.connection, name="Winter supper")
    pending(event, "Ada", created_at="2026-03-01T00:00:00Z")
    pending(other, "Bob", created_at="2026-03-02T00:00:00Z")
    mirror.guest(event, status="invited")
    mirror.guest(event, status="valid")
    answer = olive.get(APPROVALS)
    assert names(answer) == ["Bob Waits", "Ada Waits"]
    assert "2 guests wait for an answer" in answer.content.decode()


def test_filters_by_event(olive, event):
    other = mirror.event(event.connection, name="Winter supper")
    pending(event, "Ada")
    pending(other, "Bob")
    answer = olive.get(APPROVALS, {"event": str(other.pk)})
    assert names(answer) == ["Bob Waits"]
    assert [(tab.name, tab.count, tab.current) for tab in answer.context["tabs"]] == [
        (event.name, 1, False), ("Winter supper", 1, True),
    ]  # fmt: skip


def test_leaves_out_who_is_gone(olive, event):
    gone = pending(event, "Ada")
    Attendee.objects.filter(pk=gone.pk).update(gone_at=timezone.now())
    assert names(olive.get(APPROVALS)) == []


def test_walks_them_all_once(olive, event):
    for number in range(120):
        pending(event, f"Ada {number}")
    seen, after = [], ""
    while True:
        page = olive.get(APPROVALS, {"after": after}).context["guests"].page
        seen += [guest.name for guest in page.rows]
        after = page.next_cursor
        if not after:
            break
    assert (len(seen), len(set(seen))) == (120, 120)


def test_is_counted_in_the_navigation(olive, event):
    pending(event, "Ada")
    assert '<span class="count">1</span>' in olive.get("/o/harbour/").content.decode()


def test_asks_as_many_queries_for_many_as_for_one(olive, event, django_assert_max_num_queries):
    for number in range(60):
        pending(event, f"Ada {number}")
    with django_assert_max_num_queries(10):
        olive.get(APPROVALS)


def test_knows_no_event_of_another_organization(olive, cast, event):
    theirs = mirror.event(mirror.connection(cast.elsewhere))
    assert olive.get(APPROVALS, {"event": str(theirs.pk)}).status_code == 404
    assert olive.get(APPROVALS, {"event": "x"}).status_code == 404


def test_keeps_another_organizations_guests_out(olive, cast, event):
    pending(mirror.event(mirror.connection(cast.elsewhere)), "Sam")
    answer = olive.get(APPROVALS)
    assert names(answer) == []
    assert "Nobody waits" in answer.content.decode()


class TestTheCard:
    def test_helps_to_decide(self, olive, event):
        press = mirror.ticket_class(event, name="Press", quantity_total=40, quantity_sold=6)
        before = mirror.event(event.connection, name="Last year")
        mirror.guest(before, email="ada@mail.test", status="checked_in")
        mirror.guest(mirror.event(event.connection), email="ADA@mail.test", status="rejected")
        ada = mirror.guest(event, press, email="ada@mail.test", status="pending_approval")
        page = " ".join(olive.get(f"/o/harbour/guests/{ada.pk}/card/").content.decode().split())
        assert "34 of 40" in page
        assert "2 other events, came to 1" in page
        assert f"/o/harbour/guests/{ada.pk}/decide/approve/" in page

    def test_is_of_ones_own_guests(self, olive, cast):
        theirs = mirror.guest(mirror.event(mirror.connection(cast.elsewhere)))
        assert olive.get(f"/o/harbour/guests/{theirs.pk}/card/").status_code == 404
