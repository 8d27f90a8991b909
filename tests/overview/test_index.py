import pytest
from django.utils import timezone

from organizer.accounts.models import Role
from organizer.attendees.models import Attendee, StatusCount
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
    assert part.strip().startswith('<div id="overview"')
    assert "<html" not in part


def test_is_whole_when_the_browser_goes_back(olive, live):
    back = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "overview", "HTTP_HX_HISTORY_RESTORE_REQUEST": "true"}
    assert "<html" in said(olive, **back)


def test_is_not_kept_by_browsers(olive, live):
    assert olive.get(PAGE)["Cache-Control"] == "no-store"


def test_asks_a_bounded_number_of_queries(olive, live, django_assert_max_num_queries):
    said(olive)
    with django_assert_max_num_queries(22):
        said(olive)
