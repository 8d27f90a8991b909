"""Events and ticket classes as a manager makes and changes them; what the API hears is in the outbox."""

import re
from datetime import date, datetime, timedelta
from zoneinfo import available_timezones

import pytest

from organizer.accounts.models import AuditEntry
from organizer.events import times
from organizer.events.models import Event, TicketClass
from organizer.sync.models import Command, State
from tests.support import mirror

pytestmark = pytest.mark.django_db
FILLED = {
    "name": "Launch", "description": "", "starts_at": "2027-05-01T19:00", "ends_at": "2027-05-01T23:00",
    "timezone": "Europe/Berlin", "place": "venue", "venue_name": "", "address": "Pier 1", "city": "", "country": "",
    "link": "", "capacity": "120", "currency": "EUR", "ticket_price": "12.50", "require_approval": "on",
}  # fmt: skip
CLASS = {
    "name": "Early bird", "description": "", "cost": "20", "quantity_total": "50", "sales_start": "",
    "sales_end": "2027-04-30T23:59", "minimum_per_order": "1", "maximum_per_order": "4",
}  # fmt: skip
START = {"utc": "2027-05-01T17:00:00Z", "timezone": "Europe/Berlin"}
END = {"utc": "2027-05-01T21:00:00Z", "timezone": "Europe/Berlin"}


@pytest.fixture
def connection(cast):
    return mirror.connection(cast.organization)


@pytest.fixture
def event(connection):
    return mirror.event(connection, start=START, end=END, capacity=80, updated_at="2027-01-01T00:00:00Z")


@pytest.fixture
def max_(client, cast):
    client.force_login(cast.max)
    return client


def at(event, more=""):
    return f"/o/harbour/events/{event.pk}/{more}"


def shown(client, address):
    """The form as a browser would send it back, hidden values and all."""
    form = client.get(address).context["form"]
    data = {}
    for name in form.fields:
        value = form[name].field.prepare_value(form.initial.get(name))
        said = "" if value is None else value
        data[f"initial-{name}"] = said
        if said not in ("", False):
            data[name] = "on" if said is True else said
        elif said == "":
            data[name] = ""
    return data


# --- a new event ---


def test_makes_an_event(max_, connection):
    answer = max_.post("/o/harbour/events/new/", FILLED | {"then": "publish"})
    event, command = Event.objects.get(), Command.objects.get()
    assert answer["Location"] == at(event)
    assert (command.kind, command.params) == (
        "events.create",
        {
            "name": "Launch", "currency": "eur", "require_approval": True, "hidden": False, "capacity": 120,
            "start": START, "end": END, "location": "Pier 1", "ticket_price": 12.5, "status": "active",
        },
    )  # fmt: skip
    assert (event.name, event.remote_id, event.place, event.status) == ("Launch", None, "Pier 1", "active")
    assert "Sending…" in max_.get(at(event)).content.decode()
    assert AuditEntry.objects.get(verb="event.create").target_id == str(event.pk)


def test_a_venue_that_is_more_than_an_address_follows_in_a_second_command(max_, connection):
    max_.post("/o/harbour/events/new/", FILLED | {"venue_name": "Harbour Hall", "city": "Hamburg"})
    first, second = Command.objects.order_by("seq")
    assert first.params["location"] == "Harbour Hall, Pier 1, Hamburg"
    assert first.params["status"] == "draft"
    venue = {"name": "Harbour Hall", "address": "Pier 1", "city": "Hamburg", "country": None}
    assert (second.kind, second.params) == ("events.edit", {"venue": venue})
    assert Event.objects.get().place == "Harbour Hall, Hamburg"


def test_an_event_online_has_a_link(max_, connection):
    max_.post("/o/harbour/events/new/", FILLED | {"place": "online", "link": "https://meet.test/1"})
    assert Command.objects.get().params["location"] == "https://meet.test/1"
    assert Event.objects.get().location_type == "virtual"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": ""}, "required"),
        ({"ends_at": "2027-05-01T18:00"}, "The end must be after the start."),
        ({"timezone": "Mars/Olympus"}, "Choose a time zone"),
        ({"starts_at": "2027-03-28T02:30", "ends_at": "2027-03-28T05:00"}, "Did you mean 03:30?"),
        ({"starts_at": "soon"}, "Write it as"),
        ({"address": ""}, "Where do people meet?"),
        ({"place": "online", "link": "http://meet.test"}, "must begin with https://"),
        ({"currency": "EURO"}, "valid value"),
        ({"capacity": "-1"}, "greater than or equal to 0"),
        ({"name": "x" * 201}, "at most 200"),
    ],
)
def test_says_what_is_wrong_and_keeps_what_was_typed(max_, connection, wrong, said):
    answer = max_.post("/o/harbour/events/new/", FILLED | {"description": "Bring a coat"} | wrong)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert said in text
    assert "Bring a coat" in text
    assert not Event.objects.exists()
    assert not Command.objects.exists()


def test_needs_a_connection(max_):
    answer = max_.post("/o/harbour/events/new/", FILLED)
    assert answer.status_code == 422
    assert "Connect an event API first" in answer.content.decode()


# --- a change ---


def test_sends_only_what_was_changed(max_, event):
    data = shown(max_, at(event, "edit/")) | {"capacity": "90"}
    assert max_.post(at(event, "edit/"), data)["Location"] == at(event)
    command = Command.objects.get()
    assert (command.kind, command.params) == ("events.edit", {"capacity": 90})
    assert Event.objects.get().capacity == 90
    entry = AuditEntry.objects.get(verb="event.edit")
    assert (entry.before, entry.after) == ({"capacity": 80}, {"capacity": 90, "command": command.seq})


def test_sends_nothing_where_nothing_was_changed(max_, event):
    max_.post(at(event, "edit/"), shown(max_, at(event, "edit/")))
    assert not Command.objects.exists()


def test_a_change_of_the_time_is_sent_whole(max_, event):
    max_.post(at(event, "edit/"), shown(max_, at(event, "edit/")) | {"ends_at": "2027-05-02T01:00"})
    assert Command.objects.get().params == {"start": START, "end": END | {"utc": "2027-05-01T23:00:00Z"}}


def test_what_the_provider_changed_meanwhile_is_not_overwritten_unseen(max_, event):
    data = shown(max_, at(event, "edit/")) | {"capacity": "90"}
    mirror.answered(event, capacity=150, name="Renamed by the provider")
    answer = max_.post(at(event, "edit/"), data)
    assert answer.status_code == 409
    assert "now <bdi>150</bdi>" in answer.content.decode()
    assert not Command.objects.exists()
    again = {name: value for name, value in answer.context["form"].data.items() if name != "csrfmiddlewaretoken"}
    max_.post(at(event, "edit/"), again)
    assert Command.objects.get().params == {"capacity": 90}


def test_what_only_the_provider_changed_stays(max_, event):
    data = shown(max_, at(event, "edit/")) | {"description": "New words"}
    mirror.answered(event, capacity=150)
    assert max_.post(at(event, "edit/"), data).status_code == 302
    assert Command.objects.get().params == {"description": "New words"}


def test_what_was_refused_is_filled_in_as_it_was_sent_with_the_reason_at_its_field(max_, event):
    details = [{"path": "capacity", "message": "95 seats are taken.", "code": "sold_tickets"}]
    mirror.command_about(
        event, "events.edit", State.REFUSED, params={"capacity": 20}, fields={"capacity": 20}, reason="No.",
        answer={"error": "Validation failed", "details": details},
    )  # fmt: skip
    page = max_.get(at(event, "edit/"))
    assert page.context["form"].initial["capacity"] == 20
    assert "95 seats are taken." in page.content.decode()
    max_.post(at(event, "edit/"), shown(max_, at(event, "edit/")) | {"capacity": "95"})
    refused, again = Command.objects.order_by("seq")
    assert (refused.state, again.params) == (State.CANCELLED, {"capacity": 95})


def test_publishes_and_cancels(max_, event):
    mirror.answered(event, status="draft")
    max_.post(at(event, "publish/"))
    assert Event.objects.get().status == "active"
    asked = max_.get(at(event, "delete/")).content.decode()
    assert "Nobody holds a ticket." in asked
    assert "refunded" not in asked  # whom would it concern?
    max_.post(at(event, "cancel/"))
    assert [command.kind for command in Command.objects.order_by("seq")] == ["events.publish", "events.cancel"]


def test_the_name_is_typed_before_an_event_with_guests_is_deleted(max_, event):
    mirror.guest(event)
    asked = max_.get(at(event, "delete/")).content.decode()
    assert "<b>1 guest</b>" in asked
    assert "Nobody is refunded" in asked
    assert max_.post(at(event, "delete/"), {"name": "Something"}).status_code == 422
    assert not Command.objects.exists()
    max_.post(at(event, "delete/"), {"name": event.name})
    assert Command.objects.get().kind == "events.delete"
    assert Event.objects.get().status == "deleted"


def test_sets_aside_what_was_refused(max_, event):
    command = mirror.command_about(event, "events.edit", State.REFUSED, reason="No.")
    assert "Set aside" in max_.get(at(event)).content.decode()
    max_.post(at(event, "settle/"), {"seq": command.seq, "act": "aside"})
    assert "Set aside" not in max_.get(at(event)).content.decode()


def test_discards_an_event_that_was_never_made(max_, connection):
    max_.post("/o/harbour/events/new/", FILLED)
    event, command = Event.objects.get(), Command.objects.get()
    Command.objects.update(state=State.REFUSED)
    answer = max_.post(at(event, "settle/"), {"seq": command.seq, "act": "aside"})
    assert answer["Location"] == "/o/harbour/events/"
    assert not Event.objects.exists()


# --- a copy ---


def test_copies_an_event_with_its_classes_as_many_days_later(max_, event):
    """Over a change of clocks: the time stays what it is by the clock."""
    mirror.answered(event, venue={"name": "Harbour Hall", "address": "Pier 1", "city": "Hamburg"}, description="Fine")
    mirror.ticket_class(
        event, name="Early", cost=20, sales_end="2027-04-01T10:00:00Z", created_at="2026-01-01T00:00:00Z"
    )
    mirror.ticket_class(event, name="Late", cost=30, created_at="2026-01-02T00:00:00Z")
    mirror.ticket_class(event, name="Gone", status="deleted")
    max_.post(at(event, "copy/"), {"name": "Again", "starts_on": "2027-11-06"})
    copy = Event.objects.exclude(pk=event.pk).get()
    assert (copy.name, copy.status, f"{copy.starts_at:%F %H:%M}") == ("Again", "draft", "2027-11-06 18:00")
    made, venue, early, late = Command.objects.order_by("seq")
    assert (made.params["location"], made.params["description"]) == ("Harbour Hall, Pier 1, Hamburg", "Fine")
    assert venue.params["venue"]["city"] == "Hamburg"
    assert (early.params["name"], early.params["sales_end"], early.params["_first"]) == (
        "Early", "2027-10-07T10:00:00Z", True,
    )  # fmt: skip
    assert (late.params["name"], "_first" in late.params) == ("Late", False)
    assert {early.parent_id, late.parent_id} == {copy.pk}


# --- classes ---


def test_makes_a_class(max_, event):
    max_.post(at(event, "ticket-classes/new/"), CLASS)
    ticket, command = TicketClass.objects.get(), Command.objects.get()
    assert (ticket.name, ticket.cost, ticket.quantity_total, ticket.free) == ("Early bird", 20, 50, False)
    assert command.params == {
        "name": "Early bird", "cost": 20, "free": False, "quantity_total": 50, "sales_end": "2027-04-30T21:59:00Z",
        "minimum_per_order": 1, "maximum_per_order": 4, "require_approval": False, "hide_on_event_page": False,
    }  # fmt: skip
    assert "Sending…" in max_.get(at(event, "ticket-classes/")).content.decode()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": ""}, "required"),
        ({"cost": "-1"}, "greater than or equal to 0"),
        ({"cost": "a lot"}, "Enter a number"),
        ({"sales_start": "2027-05-01T10:00"}, "The end must be after the beginning."),
        ({"minimum_per_order": "5"}, "less than the fewest"),
        ({"sales_end": "2027-03-28T02:30"}, "Did you mean 03:30?"),
    ],
)
def test_says_what_is_wrong_with_a_class(max_, event, wrong, said):
    answer = max_.post(at(event, "ticket-classes/new/"), CLASS | wrong)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not TicketClass.objects.exists()


def test_changes_a_class(max_, event):
    ticket = mirror.ticket_class(event, cost=20, quantity_total=50, minimum_per_order=1, maximum_per_order=4)
    address = at(event, f"ticket-classes/{ticket.pk}/edit/")
    max_.post(address, shown(max_, address) | {"cost": "", "sales_end": "2027-04-30T12:00"})
    assert Command.objects.get().params == {"cost": 0, "free": True, "sales_end": "2027-04-30T10:00:00Z"}
    assert TicketClass.objects.get().free


def test_duplicates_a_class_in_the_form(max_, event):
    ticket = mirror.ticket_class(event, name="VIP", cost=99)
    form = max_.get(at(event, f"ticket-classes/new/?of={ticket.pk}")).context["form"]
    assert (form.initial["name"], form.initial["cost"]) == ("VIP (copy)", 99)


def test_deletes_a_class(max_, event):
    ticket = mirror.ticket_class(event, quantity_sold=3)
    address = at(event, f"ticket-classes/{ticket.pk}/delete/")
    assert "3 tickets of it are held" in max_.get(address).content.decode()
    max_.post(address)
    assert (Command.objects.get().kind, TicketClass.objects.get().status) == ("ticket_classes.delete", "deleted")


def test_a_class_of_another_event_is_not_there(max_, event, connection):
    theirs = mirror.ticket_class(mirror.event(connection))
    assert max_.get(at(event, f"ticket-classes/{theirs.pk}/edit/")).status_code == 404


# --- times ---


@pytest.mark.parametrize("days", [1, 148, 330])
def test_a_moved_time_is_the_same_by_the_clock(days):
    start = times.instant(datetime.fromisoformat("2027-05-01T19:00"), "Europe/Berlin")
    later = times.local_time(times.moved(start, "Europe/Berlin", days), "Europe/Berlin")
    assert (later.hour, later.minute, later.date()) == (19, 0, date(2027, 5, 1) + timedelta(days=days))


def test_of_an_hour_that_comes_twice_the_first_is_meant():
    first = times.instant(datetime.fromisoformat("2027-10-31T02:30"), "Europe/Berlin")
    assert times.wire(first) == "2027-10-31T00:30:00Z"


@pytest.mark.parametrize("more", ["", "edit/", "copy/", "delete/", "ticket-classes/", "ticket-classes/new/", "guests/"])
def test_every_page_knows_an_event_that_the_provider_does_not_know_yet(max_, connection, more):
    max_.post("/o/harbour/events/new/", FILLED)
    assert max_.get(at(Event.objects.get(), more)).status_code == 200
    assert max_.get("/o/harbour/events/").status_code == max_.get("/o/harbour/").status_code == 200
    assert max_.get(f"/o/harbour/door/{Event.objects.get().pk}/").status_code == 200


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        (" PORT OF SPAIN ", "America/Port_of_Spain"),
        ("istanbul", "Europe/Istanbul"),  # Asia/Istanbul is the same zone
        ("UTC", "UTC"),
        ("York", ""),
        ("", ""),
    ],
)
def test_a_city_is_enough_for_its_zone(said, zone):
    assert times.zone_meant(said, available_timezones()) == zone


# --- the form helps ---


def cursor(page):
    return re.search(r'name="(\w+)"[^>]* autofocus', page.content.decode())[1]


def test_the_cursor_stands_in_the_first_field_and_after_a_mistake_in_the_wrong_one(max_, event):
    assert cursor(max_.get("/o/harbour/events/new/")) == "name"
    assert "autofocus" not in max_.get(at(event, "edit/")).content.decode()
    assert cursor(max_.post("/o/harbour/events/new/", FILLED | {"capacity": "many"})) == "capacity"
    assert cursor(max_.get(at(event, "ticket-classes/new/"))) == "name"
    assert cursor(max_.post(at(event, "ticket-classes/new/"), CLASS | {"cost": "x"})) == "cost"


def test_every_mistake_is_told_at_once(max_, connection):
    wrong = FILLED | {"timezone": "Atlantis", "ends_at": "2027-05-01T18:00"}
    form = max_.post("/o/harbour/events/new/", wrong).context["form"]
    assert set(form.errors) == {"timezone", "ends_at"}


def test_begins_on_the_day_that_somebody_came_from(max_, connection):
    form = max_.get("/o/harbour/events/new/?day=2027-06-11").context["form"]
    assert (form["starts_at"].value(), form["ends_at"].value()) == ("2027-06-11T19:00", "2027-06-11T22:00")
    assert max_.get("/o/harbour/events/new/?day=2027-99-11").context["form"]["starts_at"].value() is None


def test_says_what_was_done_once_the_api_has_answered(max_, connection):
    made = max_.post("/o/harbour/events/new/", FILLED | {"then": "publish"})["Location"]
    assert "Created and published." not in max_.get(made).content.decode()  # the page is loaded again by itself
    mirror.answered(Event.objects.get(), id="e1")
    Command.objects.update(state=State.DONE)
    Event.objects.update(outbox={})
    assert "Created and published." in max_.get(made).content.decode()


# --- what the event's page says ---


def test_a_draft_says_what_is_next(max_, event):
    mirror.answered(event, status="draft")
    said = max_.get(at(event)).content.decode()
    assert "only your team sees it" in said
    assert 'btn-primary">' in said[: said.index("Publish</button>")][-200:]
    assert at(event, "today/") not in said


def test_a_deleted_event_offers_nothing_that_would_be_refused(max_, event):
    mirror.answered(event, status="deleted")
    said = max_.get(at(event)).content.decode()
    assert "is deleted at the provider" in said
    for more in ("edit/", "delete/", "cancel/", "publish/"):
        assert at(event, more) not in said
    assert at(event, "copy/") in said
    assert at(event, "guests/add/") not in max_.get(at(event, "guests/")).content.decode()


def test_after_deleting_stands_the_list_that_lacks_it(max_, event):
    answer = max_.post(at(event, "delete/"), {"name": event.name})
    assert answer["Location"] == "/o/harbour/events/"
    assert "is deleted." in max_.get(answer["Location"]).content.decode()
