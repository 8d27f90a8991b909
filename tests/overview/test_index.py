from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import Role
from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.rules import slot
from organizer.connections.models import Connection, Health
from organizer.events.models import Event
from organizer.sync.models import Pulse, Sweep
from tests.support.cast import person

pytestmark = pytest.mark.django_db
PAGE = "/o/harbour/"


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def live(cast):
    now = timezone.now()
    whose = {"organization": cast.organization}
    connection = Connection.objects.create(service="events", url="https://x/", health=Health.WORKING, **whose)
    whose["connection"] = connection
    Sweep.objects.create(connection=connection, noun="events", finished_at=now)
    event = Event.objects.create(
        name='Night <b>"one"</b>', status="active", starts_at=now, sort_start=now, remote_id="e", capacity=900, **whose
    )
    StatusCount.objects.create(event=event, status="valid", count=1200)
    StatusCount.objects.create(event=event, status="pending_approval", count=1)
    Attendee.objects.create(event=event, name="محمد العلي", status="pending_approval", remote_id="g", **whose)
    return event


def said(client, **headers):
    answer = client.get(PAGE, **headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_does_not_call_an_unconnected_organization_unplanned(olive):
    assert "Nothing is planned" not in said(olive)


def test_teaches_the_first_step(olive):
    page = said(olive)
    assert "Connect the event API" in page
    assert 'href="/o/harbour/settings/connections/add/"' in page


def test_does_not_send_a_viewer_where_they_may_not_go(client, cast):
    client.force_login(person("Vera", cast.organization, Role.VIEWER))
    assert "connections/add" not in said(client)


def test_says_what_is_on_and_who_waits(olive, live):
    page = said(olive)
    assert "Night &lt;b&gt;" in page
    assert "1,200" in page
    assert "1 guest" in page
    assert "waits for an answer." in page
    assert "<bdi>محمد العلي</bdi>" in page


def test_shows_a_viewer_no_key(client, cast, live):
    client.force_login(person("Vera", cast.organization, Role.VIEWER))
    page = said(client)
    assert "Night" in page
    assert "Used in 10 s" not in page


def test_shows_the_door_no_guests(client, cast, live):
    client.force_login(cast.dora)
    page = client.get(PAGE, follow=True).content.decode()
    assert "/o/harbour/door/" in page
    assert "محمد" not in page
    assert "/o/harbour/guests/" not in page


def test_says_that_the_worker_is_silent(olive, live):
    assert "The worker does not report" in said(olive)
    Pulse.objects.create(process="worker", at=timezone.now())
    assert "The worker does not report" not in said(olive)


def test_says_what_is_wrong_with_the_connection(olive, live):
    Connection.objects.update(health=Health.KEY_REFUSED, health_message="Invalid or revoked API key")
    page = said(olive)
    assert "banner-danger" in page
    assert "Open Connections" in page


def test_keeps_the_list_on_screen_fresh(olive, live):
    said(olive)
    assert Sweep.objects.get().looked_at is not None


def test_renews_its_part_only(olive, live):
    part = said(olive, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="overview")
    assert '<div id="overview"' in part
    assert '<span class="fresh" id="fresh" hx-swap-oob="morph"' in part
    assert "<html" not in part
    assert part.count('id="fresh"') == 1


def test_is_not_sent_again_while_nothing_changes(olive, live):
    Event.objects.update(starts_at=timezone.now() + timedelta(hours=30), ends_at=None)  # nothing that goes on
    of_part = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "overview"}
    tag = olive.get(PAGE, **of_part)["ETag"]
    assert olive.get(PAGE, **of_part, HTTP_IF_NONE_MATCH=tag).status_code == 304
    StatusCount.objects.create(event=live, status="pending_approval", count=1)
    assert olive.get(PAGE, **of_part, HTTP_IF_NONE_MATCH=tag).status_code == 200


def test_is_whole_when_the_browser_goes_back(olive, live):
    back = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "overview", "HTTP_HX_HISTORY_RESTORE_REQUEST": "true"}
    assert "<html" in said(olive, **back)


def test_is_not_kept_by_browsers(olive, live):
    assert olive.get(PAGE)["Cache-Control"] == "no-store"


def test_asks_a_bounded_number_of_queries(olive, live, django_assert_max_num_queries):
    said(olive)
    with django_assert_max_num_queries(13):
        said(olive)
    with django_assert_max_num_queries(12):
        said(olive, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="overview")


def test_draws_today_and_leads_to_it(olive, live):
    now = slot(timezone.now())
    StatusCount.objects.create(event=live, status="checked_in", slot=now, count=7)
    page = said(olive)
    assert f'href="/o/harbour/events/{live.pk}/today/"' in page
    assert 'class="chart spark"' in page
    assert "of 1,207 in" in page
    assert "7 since" in page


def test_says_in_one_line_that_all_is_well(olive, live):
    Pulse.objects.create(process="worker", at=timezone.now())
    assert "All is well" in said(olive)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"health": Health.KEY_REFUSED}, "The key was refused: nothing is read or sent."),
        ({"health": Health.UNREACHABLE}, "The event API does not answer."),
        ({"scopes": {"attendees:write": "denied"}}, "lacks the scope attendees:write"),
    ],
)
def test_says_in_one_line_what_is_not(olive, live, changes, words):
    Pulse.objects.create(process="worker", at=timezone.now())
    Connection.objects.update(**changes)
    line = olive.get(PAGE).context["summary"]
    assert words in line.text
    assert line.url == "/o/harbour/settings/connections/"
    assert not line.ok


def test_leads_from_a_silent_worker_to_the_outbox(olive, live):
    assert olive.get(PAGE).context["summary"].url == "/o/harbour/settings/outbox/"


def test_says_that_nothing_was_read_for_a_while(client, cast, live):
    Pulse.objects.create(process="worker", at=timezone.now())
    Sweep.objects.update(finished_at=timezone.now() - timedelta(hours=3))
    client.force_login(person("Vera", cast.organization, Role.VIEWER))
    line = client.get(PAGE).context["summary"]
    assert (line.text, line.url) == ("Events were not read for a while.", "")
