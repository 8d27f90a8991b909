"""The day-of view: kept counts, who came last, what is odd; a part that is not sent again while nothing changes."""

from datetime import timedelta

from django.utils import timezone

from organizer.accounts.models import Role
from organizer.attendees.models import Attendee
from organizer.events.models import Event
from organizer.overview.dayof import LAST, MOST_ODD, day_of
from tests.door.acts import admit, undo
from tests.support import mirror
from tests.support.cast import person

PART = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "today"}


def address(event):
    return f"/o/harbour/events/{event.pk}/today/"


def page(client, event, **headers):
    answer = client.get(address(event), **headers)
    assert answer.status_code == 200
    return answer.content.decode()


def came(event, ticket_class=None, minutes=1, **fields):
    at = (timezone.now() - timedelta(minutes=minutes)).isoformat()
    return mirror.guest(event, ticket_class, status="checked_in", checked_in_at=at, **fields)


def test_says_how_many_are_in(olive, event):
    came(event)
    mirror.guest(event)
    mirror.guest(event, status="pending_approval")
    said = page(olive, event)
    assert '<p class="figure" id="inside">1 <small>of 2 in</small></p>' in said
    assert "Wait for an answer" in said


def test_tells_the_classes_apart(event):
    general, press, empty = (mirror.ticket_class(event, name=name) for name in ("General", "Press", "Nobody's"))
    came(event, general)
    mirror.guest(event, general)
    came(event, press)
    mirror.guest(event)
    rows = [(row.name, row.inside, row.expected) for row in day_of(event).classes]
    assert rows == [("General", 1, 2), ("Press", 1, 1), ("Without a class", 0, 1)]
    assert empty.name not in [name for name, *_ in rows]


def test_names_who_came_last_and_who_let_them_in(cast, event):
    for number in range(LAST + 2):
        came(event, minutes=60 - number)
    mirror.guest(event, barcode="FOY-1", first_name="Zoë", last_name="Last")
    admit(event, cast.dora, "FOY-1", door="Main door")
    last = day_of(event).last
    assert len(last) == LAST
    assert (last[0].guest.name, last[0].admission.door, last[0].admission.by_name) == (
        "Zoë Last",
        "Main door",
        str(cast.dora),
    )
    assert last[1].admission is None
    assert [row.at for row in last] == sorted((row.at for row in last), reverse=True)


def test_forgets_who_was_taken_back(cast, event):
    mirror.guest(event, barcode="FOY-1")
    scan = admit(event, cast.dora, "FOY-1")
    undo(scan, cast.dora)
    day = day_of(event)
    assert (day.figures.inside, day.last, day.arrivals.lately) == (0, [], 0)


def test_draws_when_they_came(olive, event):
    came(event)
    came(event)
    came(event, minutes=20)
    said = page(olive, event)
    assert 'role="img" aria-labelledby="arrivals-title"' in said
    assert "most of them" in said
    assert "The same as a table" in said
    assert day_of(event).arrivals.line.busiest.count == 2


def test_draws_nothing_where_nobody_is_expected_yet(olive, cast):
    event = mirror.event(mirror.connection(cast.organization))
    Event.objects.update(starts_at=timezone.now() + timedelta(days=9), ends_at=timezone.now() + timedelta(days=10))
    said = page(olive, event)
    assert "Nobody is in yet" in said
    assert "Nobody has a ticket yet" in said
    assert "arrivals-title" not in said


def test_says_who_is_drawn_nowhere(olive, event):
    came(event, minutes=60 * 24 * 3)
    mirror.guest(event, status="checked_in")
    came(event)
    said = page(olive, event)
    assert "2 more are in, of another time or of none that is known" in said


def test_says_what_is_odd_and_why(olive, event):
    guest = mirror.guest(event, first_name="Ada", last_name="King")
    mirror.command(guest, state="refused", reason="Sold <b>out</b>.")
    gone = mirror.guest(event)
    Attendee.objects.filter(pk=gone.pk).update(gone_at=timezone.now(), needs_attention=True)
    said = page(olive, event)
    assert "Ada King" in said
    assert "The provider refused a change. Sold &lt;b&gt;out&lt;/b&gt;." in said
    assert "No longer found at the provider." in said


def test_counts_odd_guests_to_a_hundred(event):
    for _ in range(MOST_ODD):
        mirror.guest(event)
    Attendee.objects.update(needs_attention=True)
    assert day_of(event).any_odd == "100+"


def test_leads_to_the_door_only_who_may_work_there(client, cast, event):
    client.force_login(cast.max)
    assert "Open the door" in page(client, event)
    client.force_login(person("Vera", cast.organization, Role.VIEWER))
    assert "Open the door" not in page(client, event)


def test_is_linked_from_event_overview_and_desk(olive, event):
    for at in ("/o/harbour/", f"/o/harbour/events/{event.pk}/", f"/o/harbour/door/{event.pk}/"):
        assert f'href="{address(event)}"' in olive.get(at).content.decode()


def test_the_desk_of_door_staff_does_not_lead_to_it(client, cast, event):
    client.force_login(cast.dora)
    assert address(event) not in client.get(f"/o/harbour/door/{event.pk}/").content.decode()
    assert client.get(address(event)).status_code == 403


# --- asked for again and again ---


def is_over(event):
    Event.objects.filter(pk=event.pk).update(ends_at=event.starts_at, starts_at=event.starts_at - timedelta(hours=50))


def test_is_not_sent_again_while_nothing_changes(olive, event):
    came(event)
    is_over(event)  # else it is told each minute where now is
    first = olive.get(address(event), **PART)
    assert first.content.strip()
    again = olive.get(address(event), **PART, HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == "no-store"


def test_is_sent_again_when_somebody_comes(olive, cast, event):
    mirror.guest(event, barcode="FOY-1")
    tag = olive.get(address(event), **PART)["ETag"]
    admit(event, cast.dora, "FOY-1")
    said = page(olive, event, **PART, HTTP_IF_NONE_MATCH=tag)
    assert '<p class="figure" id="inside">1 ' in said
    assert "<html" not in said


def test_has_no_tag_as_a_whole(olive, event):
    assert "ETag" not in olive.get(address(event))


def test_asks_a_handful_of_queries_however_many_came(olive, cast, event, django_assert_max_num_queries):
    for ticket_class in [mirror.ticket_class(event) for _ in range(6)]:
        for number in range(12):
            came(event, ticket_class, minutes=number * 7)
    page(olive, event)
    with django_assert_max_num_queries(11):
        page(olive, event, **PART)
    with django_assert_max_num_queries(13):
        page(olive, event)
