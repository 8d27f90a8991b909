"""What the first page says that somebody has to do something about, and the work that goes on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from organizer.accounts.models import Role
from organizer.attendees.models import Admission, Attendee
from organizer.connections.models import Connection, Health
from organizer.events.models import Event
from organizer.sync import registry
from organizer.sync.mirror import refresh
from organizer.sync.models import Batch, Command, Pulse, State
from tests.support import mirror
from tests.support.cast import person

pytestmark = pytest.mark.django_db
PAGE = "/o/harbour/"
BOX = "/o/harbour/settings/outbox/"
ODD = "/o/harbour/guests/?odd=1"


@pytest.fixture
def event(cast):
    Pulse.objects.create(process="worker", at=timezone.now())
    return mirror.event(mirror.connection(cast.organization))


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


def needs(client):
    return {need.title: need for need in client.get(PAGE).context["needs"]}


def test_is_quiet_when_all_is_well(olive, event):
    mirror.command(mirror.guest(event))
    mirror.command(mirror.guest(event), state="done")
    mirror.command(mirror.guest(event), state="refused", seen_at=timezone.now())
    assert needs(olive) == {}
    assert "Needs you" not in olive.get(PAGE).content.decode()


def test_counts_what_was_refused_and_tells_the_newest_reason(olive, event):
    for name in ("Ada", "Bea"):
        mirror.command(mirror.guest(event, first_name=name, last_name=""), state="refused", reason="Sold out.")
    need = needs(olive)["2 changes were refused"]
    assert need.text == "Approving Bea: Sold out."
    assert need.url == f"{BOX}?tab=refused"


def test_asks_about_what_is_parked(olive, event):
    mirror.command(mirror.guest(event), state="parked")
    assert needs(olive)["1 change is parked"].url == f"{BOX}?tab=parked"


def test_leads_a_manager_to_the_guests(client, cast, event):
    mirror.command(mirror.guest(event), state="refused")
    client.force_login(cast.max)
    assert needs(client)["1 change was refused"].url == ODD


def test_asks_nothing_of_who_may_change_nothing(client, cast, event):
    mirror.command(mirror.guest(event), state="refused")
    client.force_login(person("Vera", cast.organization, Role.VIEWER))
    assert needs(client) == {}


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"health": Health.KEY_REFUSED}, "The key was refused."),
        ({"scopes": {"attendees:write": "denied"}}, "The key lacks the scope attendees:write."),
    ],
)
def test_says_how_many_changes_wait_and_for_what(olive, client, cast, event, changed, why):
    for _ in range(3):
        mirror.command(mirror.guest(event))
    Connection.objects.update(**changed)
    need = needs(olive)["3 changes wait"]
    assert need.text.startswith(why)
    assert need.url == f"{BOX}?tab=held"
    client.force_login(cast.max)
    assert needs(client)["3 changes wait"].url == ""


def test_says_in_every_banner_how_many_changes_wait(olive, event):
    mirror.command(mirror.guest(event))
    mirror.command(mirror.guest(event))
    Connection.objects.update(health=Health.KEY_REFUSED)
    page = olive.get("/o/harbour/guests/").content.decode()
    assert "2 changes wait for it." in page
    assert f'href="{BOX}?tab=held"' in page


def test_tells_of_a_check_in_that_the_provider_does_not_know(olive, event):
    guest = mirror.guest(event)
    Admission.objects.create(organization=guest.organization, event=event, attendee=guest, by_name="Dora")
    refresh(registry.noun("attendees"), [guest])
    assert needs(olive)["1 check-in is not recorded at the provider"].url == ODD


def test_asks_to_look_at_guests_who_are_gone_or_odd(olive, event):
    for _ in range(2):
        mirror.guest(event)
    over = mirror.event(event.connection)
    Event.objects.filter(pk=over.pk).update(ends_at=timezone.now() - timedelta(days=2))
    mirror.guest(over)
    Attendee.objects.update(needs_attention=True)
    need = needs(olive)["2 guests need a look"]
    assert need.url == ODD


def test_counts_nothing_of_another_organization(olive, cast, event):
    mirror.command(mirror.guest(mirror.event(mirror.connection(cast.elsewhere))), state="refused")
    assert needs(olive) == {}


def test_says_that_the_worker_cannot_keep_up(olive, event):
    Pulse.objects.update(oldest_due=timezone.now() - timedelta(seconds=50))
    assert "The worker cannot keep up" in needs(olive)


# --- under way ---


def bulk(event, *, done, refused, waiting, **fields):
    total = done + refused + waiting
    batch = Batch.objects.create(
        organization=event.organization, connection=event.connection, kind="attendees.approve", by_name="Max",
        **{"total": total, "expanded": total} | fields,
    )  # fmt: skip
    for state, count in ((State.DONE, done), (State.REFUSED, refused), (State.WAITING, waiting)):
        for _ in range(count):
            mirror.command(mirror.guest(event), state=state, batch=batch, seen_at=timezone.now())
    return batch


def test_finds_a_bulk_again(olive, event):
    bulk(event, done=3, refused=1, waiting=4)
    [work] = olive.get(PAGE).context["under_way"]
    assert work.title == "Approving 8 guests"
    assert (work.done_share, work.failed_share) == (37.5, 12.5)
    assert "3 done, 1 refused, 4 left" in olive.get(PAGE).content.decode()


def test_forgets_a_bulk_that_is_over(olive, event):
    bulk(event, done=3, refused=1, waiting=0)
    assert olive.get(PAGE).context["under_way"] == []


def test_shows_no_bulk_of_another_organization(olive, cast, event):
    bulk(mirror.event(mirror.connection(cast.elsewhere)), done=1, refused=0, waiting=1)
    assert olive.get(PAGE).context["under_way"] == []
    assert Command.objects.count() == 2
