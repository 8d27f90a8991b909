"""`python -m servers seed_demo`: six events, guests in every status, today's event always today."""

import io
import stat
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from servers.demo import moments, password, plan, seed
from servers.demo.events import EVENTS
from servers.demo.names import ODD
from servers.event_api import queries
from servers.event_api.models import Attendee, Contact, Event, TicketClass
from servers.event_api.rules import SOLD, Status
from servers.kit import clock
from servers.mail.models import OutgoingMail
from servers.organizations.models import Organization, User
from servers.tests import factories
from servers.tests.asserts import assert_refused
from servers.tests.conftest import api_for

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
GUESTS = 400


@pytest.fixture
def demo(db: None) -> Organization:
    return seed.seed(attendees=GUESTS, now=NOON)


def event(key: str) -> Event:
    return Event.objects.get(pk=plan.make_id("event", key))


def everything() -> dict[str, list[Any]]:
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in (Event, TicketClass, Attendee)}


def test_it_makes_six_events_and_exactly_so_many_guests(demo):
    assert demo.slug == "demo"
    assert demo.events.count() == len(EVENTS) == 6
    assert Attendee.objects.count() == GUESTS
    assert Counter(demo.events.values_list("status", flat=True)) == {"active": 5, "draft": 1}
    assert event("virtual").location_type == "virtual"
    assert event("past").end_at < NOON < event("today").start_at


def test_it_makes_the_same_rows_every_time(demo):
    first = everything()
    Attendee.objects.all().delete()
    Contact.objects.all().delete()
    TicketClass.objects.all().delete()
    Event.objects.all().delete()
    seed.seed(attendees=GUESTS, now=NOON)
    assert everything() == first


def test_it_changes_nothing_on_the_same_day(demo):
    before = everything()
    seed.seed(attendees=50, now=NOON + timedelta(hours=2))
    assert everything() == before


def test_it_has_guests_in_every_status(demo):
    assert set(Attendee.objects.values_list("status", flat=True)) == {status.value for status in Status}
    today = Counter(event("today").attendees.values_list("status", flat=True))
    assert set(today) == {status.value for status in Status}
    assert today["valid"] > today["checked_in"] > today["pending_approval"] > 0


def test_it_sells_no_seat_twice(demo):
    for ticket_class in TicketClass.objects.all():
        sold = queries.sold(ticket_class.attendees.all())
        assert ticket_class.quantity_total == 0 or sold <= ticket_class.quantity_total, ticket_class
    for found in Event.objects.all():
        assert found.capacity == 0 or queries.sold(found.attendees.all()) <= found.capacity, found
    assert queries.sold(event("sold-out").attendees.all()) == event("sold-out").capacity


def test_it_has_ticket_classes_of_each_sort(demo):
    classes = TicketClass.objects.all()
    assert classes.filter(free=True).exists()
    assert classes.filter(cost__gt=0).exists()
    assert classes.filter(hide_on_event_page=True).exists()
    assert classes.filter(require_approval=True).exists()
    assert classes.filter(kind="donation").exists()
    balcony = event("today").ticket_classes.get(name="Balcony")
    assert queries.sold(balcony.attendees.all()) == balcony.quantity_total


def test_it_refuses_to_approve_the_guest_whose_upgrade_was_cancelled(demo):
    api = api_for(demo)
    guest = Attendee.objects.get(upgrade_status="cancelled", status="pending_approval")
    refused = api.patch(f"/events/{guest.event_id}/attendees/{guest.pk}", {"status": "valid"})
    assert_refused(refused, 422, "The pending upgrade was cancelled")


def test_it_has_an_upgrade_that_leads_to_its_class_when_it_is_approved(demo):
    api = api_for(demo)
    guest = Attendee.objects.filter(upgrade_status="pending").first()
    assert guest
    held = guest.upgrade_of
    assert (held.email, held.status) == (guest.email, "valid")
    answer = api.patch(f"/events/{guest.event_id}/attendees/{guest.pk}", {"status": "valid"}).json()["data"]
    assert (answer["status"], answer["upgrade"]["status"]) == ("valid", "done")
    assert answer["ticket_class_id"] == guest.upgrade_to_id


def test_it_spells_names_in_many_scripts_and_reaches_nobody(demo):
    names = "".join(Attendee.objects.values_list("first_name", flat=True))
    for letter in "éЮΜم‌יप美서":
        assert letter.upper() in names.upper() or letter in names, letter
    assert Attendee.objects.filter(last_name="").exists()
    assert event("today").attendees.filter(first_name=ODD[0][0], last_name=ODD[0][1]).exists()
    addresses = Attendee.objects.values_list("email", flat=True)
    assert {address.rsplit(".", 1)[1] for address in addresses} == {"example", "test"}
    assert all(address == address.lower() and address.isascii() for address in addresses)
    assert not Attendee.objects.exclude(company="").filter(company=None).exists()


def test_it_tells_a_coherent_story_of_each_guest(demo):
    assert not Attendee.objects.filter(created_at__gte=NOON).exists()
    assert not Attendee.objects.filter(updated_at__gt=NOON).exists()
    assert not Attendee.objects.filter(checked_in_at__gt=NOON).exists()
    assert not Attendee.objects.filter(status="checked_in", checked_in_at=None).exists()
    assert not Attendee.objects.exclude(status="checked_in").exclude(checked_in_at=None).exists()
    assert not Attendee.objects.filter(status__in=SOLD, ticket_class__cost=0).exclude(payment_id=None).exists()


@pytest.mark.parametrize("days", [1, 2, 30, 127, 365])
@pytest.mark.parametrize("hour", [0, 5, 23])
def test_it_moves_todays_event_to_today_in_its_own_zone(demo, days, hour):
    now = NOON.replace(hour=hour) + timedelta(days=days)
    before = Counter(Attendee.objects.values_list("pk", "status"))
    seed.seed(attendees=GUESTS, now=now)
    for planned in EVENTS:
        moved = event(planned.key)
        zone = ZoneInfo(planned.timezone)
        assert moved.start_at.astimezone(zone).date() == now.astimezone(zone).date() + timedelta(days=planned.day)
        assert f"{moved.start_at.astimezone(zone):%H:%M}" == planned.starts  # also over a clock change
        assert moved.start_at < moved.end_at
    assert not Attendee.objects.filter(created_at__gt=now).exists()
    assert not Attendee.objects.filter(checked_in_at__gt=now).exists()
    assert Counter(Attendee.objects.values_list("pk", "status")) == before


def test_it_keeps_what_people_did_in_the_demo(demo):
    api = api_for(demo)
    guest = event("today").attendees.filter(status="valid").first()
    assert guest
    with clock.handed_in(lambda: NOON + timedelta(hours=9)):
        api.patch(f"/events/{guest.event_id}/attendees/{guest.pk}", {"status": "checked_in"})
    tomorrow = NOON + timedelta(days=1)
    seed.seed(attendees=GUESTS, now=tomorrow)
    guest.refresh_from_db()
    assert guest.status == "checked_in"
    assert guest.checked_in_at
    assert guest.checked_in_at <= tomorrow
    assert guest.updated_at <= tomorrow


def test_it_touches_no_other_organization(organization, demo):
    other = factories.event(organization)
    seed.seed(attendees=GUESTS, now=NOON + timedelta(days=3))
    start = other.start_at
    other.refresh_from_db()
    assert other.start_at == start


def test_it_has_mails_that_left_and_one_that_could_not(demo):
    sent = OutgoingMail.objects.filter(organization=demo)
    assert sent.exclude(sent_at=None).count() >= 3
    [failed] = sent.filter(sent_at=None)
    assert failed.job
    assert failed.job.state == "failed"


@pytest.mark.parametrize("attendees", [0, 1, 7, 60, 2000])
def test_it_plans_exactly_the_number_that_was_asked_for(attendees):
    parts = list(plan.make(attendees))
    guests = [guest for part in parts for guest in part.guests]
    assert len(guests) == attendees
    assert len({guest.id for guest in guests}) == len({guest.barcode for guest in guests}) == attendees
    assert all(len(guest.id) == 20 and guest.id.isalnum() for guest in guests)


def test_it_splits_by_weight_and_loses_nobody():
    assert plan.share(10, {"a": 1, "b": 1, "c": 1}) == {"a": 4, "b": 3, "c": 3}
    assert plan.share(0, {"a": 1}) == {"a": 0}


def test_it_places_guests_on_both_sides_of_now_without_a_future_arrival():
    today = EVENTS[0]
    start = moments.start(today, NOON)
    for now in (NOON, start - timedelta(minutes=30), start + timedelta(minutes=5), start + timedelta(hours=5)):
        for minutes in (-60, -12, 0, 40, 110):
            assert now - timedelta(hours=6) < moments.arrival(today, timedelta(minutes=minutes), now) <= now


@pytest.fixture
def data(db: None, settings: Any, tmp_path: Path) -> Path:
    """A data folder of its own: the password lies in it."""
    settings.DATA = tmp_path
    return tmp_path


def run(**options: Any) -> str:
    out = io.StringIO()
    call_command("seed_demo", stdout=out, **options)
    return out.getvalue()


def test_its_command_makes_the_people_who_sign_in(data, monkeypatch):
    monkeypatch.setenv(password.VARIABLE, "first password 1")
    assert "6 events, 30 guests" in run(attendees=30)
    browser = Client()
    assert browser.login(username="owner@demo.test", password="first password 1")
    assert browser.get("/").headers["Location"] == "/o/demo/mail/"
    assert User.objects.get(username="operator").is_superuser
    monkeypatch.setenv(password.VARIABLE, "second password 2")
    run()
    assert browser.login(username="operator", password="second password 2")
    monkeypatch.delenv(password.VARIABLE)
    run()
    assert browser.login(username="operator", password="second password 2")
    assert password.read_or_make(data) == "second password 2"  # what a start prints is what holds
    assert Attendee.objects.count() == 30


def test_its_command_makes_a_password_that_only_its_owner_reads(data, monkeypatch):
    monkeypatch.delenv(password.VARIABLE, raising=False)
    run(attendees=0)
    path = data / password.FILE_NAME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Client().login(username="manager@demo.test", password=path.read_text().strip())


@pytest.mark.parametrize("attendees", [-1, 10**7])
def test_its_command_refuses_a_number_that_makes_no_sense(db, attendees):
    with pytest.raises(CommandError):
        run(attendees=attendees)
