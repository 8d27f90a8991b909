from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from organizer.accounts.models import Role
from organizer.attendees.models import Attendee
from organizer.connections.models import Connection, Health
from organizer.sync.models import Sweep
from tests.support import mirror
from tests.support.cast import person

HTMX = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "guest-list"}


@pytest.fixture
def event(cast):
    return mirror.event(mirror.connection(cast.organization))


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


def at(event):
    return f"/o/harbour/events/{event.pk}/guests/"


def shown(client, event, **parameters):
    """Names in the order of the page."""
    guests = client.get(at(event), parameters).context["guests"]
    return [row.guest.name for row in guests.rows]


def named(event, *names, **fields):
    for name in names:
        first, _, last = name.partition(" ")
        mirror.guest(event, first_name=first, last_name=last, email=f"{first}@mail.test".lower(), **fields)


class TestSearch:
    @pytest.mark.parametrize(
        ("q", "found"),
        [
            ("luc", {"Łucja Wójcik", "Luca Rossi"}),
            ("LUCJA", {"Łucja Wójcik"}),
            ("lu", {"Łucja Wójcik", "Luca Rossi"}),  # prefixes of parts of the name only
            ("wo", {"Łucja Wójcik"}),
            ("wójcik łu", {"Łucja Wójcik"}),
            ("ssi", {"Luca Rossi"}),
            ("blue", {"Blu Eyes_100%"}),
            ("100%", {"Blu Eyes_100%"}),
            ("s_1", {"Blu Eyes_100%"}),
            ("u_e", set()),
            ("%%%", set()),
            ("\\", set()),
            ("אבי", {"אבי כהן"}),
            ("🦊", {"🦊 Fox"}),
            ("acme gmbh", {"🦊 Fox"}),
            ("zzzz", set()),
            ("'; --", set()),
            ("luca\x00", set()),
        ],
    )
    def test_finds_by_any_part(self, olive, event, q, found):
        named(event, "Łucja Wójcik", "Luca Rossi", "אבי כהן")
        mirror.guest(event, first_name="Blu", last_name="Eyes_100%", email="blue@mail.test")
        mirror.guest(event, first_name="🦊", last_name="Fox", email="fox@mail.test", company="Acme GmbH")
        assert set(shown(olive, event, q=q)) == found

    def test_finds_by_ticket_code(self, olive, event):
        mirror.guest(event, first_name="Ada", last_name="King", barcode="QX-4711")
        named(event, "Bob Other")
        assert shown(olive, event, q="x-47") == ["Ada King"]

    def test_stays_inside_the_event_and_its_filters(self, olive, event):
        other = mirror.event(event.connection)
        named(other, "Luca There")
        named(event, "Luca Here")
        named(event, "Luca Waits", status="pending_approval")
        assert set(shown(olive, event, q="luca")) == {"Luca Here", "Luca Waits"}
        assert shown(olive, event, q="luca", status="pending_approval") == ["Luca Waits"]

    def test_counts_whom_it_shows(self, olive, event):
        named(event, "Luca Here", "Luca Gone")
        Attendee.objects.filter(last_name="Gone").update(gone_at=timezone.now())
        guests = olive.get(at(event), {"q": "luca"}).context["guests"]
        assert guests.found == len(guests.rows) == 1

    def test_answers_typing_with_the_list_only(self, olive, event):
        named(event, "Luca Rossi")
        part = olive.get(at(event), {"q": "luc"}, **HTMX).content.decode()
        assert "Luca Rossi" in part
        assert "<html" not in part
        assert 'type="search"' not in part  # what is typed in is not replaced: focus stays

    def test_is_a_plain_form_without_scripts(self, olive, event):
        page = olive.get(at(event), {"status": "valid"}).content.decode()
        assert f'method="get" action="{at(event)}"' in page
        assert '<input type="hidden" name="status" value="valid" form="guest-search">' in page


class TestFilters:
    def test_counts_are_the_kept_ones(self, olive, event):
        named(event, "Ada King", "Bob King")
        named(event, "Eve King", status="pending_approval")
        Attendee.objects.filter(first_name="Bob").delete()  # behind the count's back: a page does not count
        tabs = {tab.status: tab.count for tab in olive.get(at(event)).context["tabs"]}
        assert (tabs[""], tabs["valid"], tabs["pending_approval"], tabs["rejected"]) == (3, 2, 1, 0)

    def test_gives_an_unknown_status_a_tab(self, olive, event):
        named(event, "Ada King", status="<b>odd</b>")
        page = olive.get(at(event)).content.decode()
        assert "<bdi>&lt;b&gt;odd&lt;/b&gt;</bdi>" in page
        assert "<b>odd" not in page

    def test_filters_by_classes(self, olive, event):
        press, other = mirror.ticket_class(event, name="Press"), mirror.ticket_class(event)
        mirror.guest(event, press, first_name="In", last_name="Press")
        mirror.guest(event, other, first_name="Not", last_name="Press")
        assert shown(olive, event, **{"class": str(press.pk)}) == ["In Press"]

    def test_filters_by_days_in_the_persons_zone(self, olive, event):
        named(event, "Late Evening", created_at="2026-03-01T23:30:00Z")
        olive.cookies["foyer_zone"] = "Europe/Berlin"
        assert shown(olive, event, since="2026-03-02", until="2026-03-02") == ["Late Evening"]
        assert shown(olive, event, since="2026-03-01", until="2026-03-01") == []

    def test_shows_who_needs_attention(self, olive, event):
        named(event, "Fine One", "Odd One", "Gone One")
        Attendee.objects.filter(first_name="Odd").update(doubts=["created_at was not a time"], needs_attention=True)
        Attendee.objects.filter(first_name="Gone").update(gone_at=timezone.now(), needs_attention=True)
        assert set(shown(olive, event, odd="1")) == {"Odd One", "Gone One"}
        assert "Gone One" not in shown(olive, event)

    @pytest.mark.parametrize(
        ("sort", "first"), [("", "Cyd New"), ("name", "Ada Old"), ("checked_in", "Bob In")], ids=["age", "name", "in"]
    )
    def test_sorts(self, olive, event, sort, first):
        named(event, "Cyd New", created_at="2026-03-03T00:00:00Z")
        named(event, "Ada Old", created_at="2026-03-01T00:00:00Z")
        named(event, "Bob In", status="checked_in", checked_in_at="2026-03-05T10:00:00Z")
        assert shown(olive, event, sort=sort)[0] == first

    def test_keeps_all_guests_in_the_one_order_that_has_an_index(self, olive, event):
        named(event, "Zed New", created_at="2026-03-03T00:00:00Z")
        named(event, "Ada Old", created_at="2026-03-01T00:00:00Z")
        answer = olive.get("/o/harbour/guests/", {"sort": "name"})
        assert [row.guest.name for row in answer.context["guests"].rows] == ["Zed New", "Ada Old"]
        assert "sort=name" not in olive.get("/o/harbour/guests/").content.decode()

    @pytest.mark.parametrize(
        "query", ["class=x", "since=nonsense", "sort=payload", "after=abc", "status=%00", "q=%F0%9F&class=1", "odd=2"]
    )
    def test_takes_any_address(self, olive, event, query):
        assert olive.get(f"{at(event)}?{query}").status_code == 200


class TestPages:
    def test_walks_all_guests_once(self, olive, event):
        named(event, *(f"Ada {number:03}" for number in range(120)))
        seen, after = [], ""
        while True:
            page = olive.get(at(event), {"sort": "name", "after": after}).context["guests"].page
            seen += [guest.name for guest in page.rows]
            after = page.next_cursor
            if not after:
                break
        assert seen == [f"Ada {number:03}" for number in range(120)]

    def test_says_when_a_cursor_was_of_another_list(self, olive, event):
        named(event, *(f"Ada {number}" for number in range(60)))
        after = olive.get(at(event)).context["guests"].page.next_cursor
        page = olive.get(at(event), {"after": after, "status": "valid"}).content.decode()
        assert "this is its beginning" in page

    @pytest.mark.parametrize("guests", [1, 120])
    @pytest.mark.parametrize("query", ["", "?sort=name&status=valid"])
    def test_asks_as_many_queries_for_many_as_for_one(self, olive, event, guests, query, django_assert_max_num_queries):
        general = mirror.ticket_class(event)
        mirror.swept(event.connection, "attendees", event.remote_id, at=timezone.now() - timedelta(hours=1))
        for _ in range(guests):
            mirror.guest(event, general)
        olive.get(at(event))
        with django_assert_max_num_queries(10):
            olive.get(at(event) + query)

    def test_joins_nothing_that_it_does_not_show(self, olive, event):
        named(event, "Ada King")
        with CaptureQueriesContext(connection) as queries:
            olive.get(at(event))
            said = [query["sql"] for query in queries if 'FROM "attendees_attendee"' in query["sql"]]
        assert len(said) == 1
        assert "JOIN" not in said[0]

    def test_notes_that_somebody_looks(self, olive, event):
        mirror.swept(event.connection, "attendees", event.remote_id, at=timezone.now() - timedelta(hours=1))
        olive.get(at(event))
        assert Sweep.objects.get(noun="attendees").looked_at is not None

    def test_teaches_what_an_empty_list_means(self, olive, event):
        mirror.swept(event.connection, "attendees", event.remote_id, at=timezone.now())
        assert "No guests yet" in olive.get(at(event)).content.decode()
        assert "Nobody matches" in olive.get(at(event), {"q": "zzz"}).content.decode()

    def test_does_not_say_that_nobody_comes_before_anything_was_read(self, olive, event):
        Connection.objects.filter(pk=event.connection_id).update(health=Health.KEY_REFUSED)
        said = olive.get(at(event)).content.decode()
        assert "No guests have been read yet" in said
        assert "No guests yet" not in said


class TestWho:
    def test_keeps_another_organizations_guests_out(self, client, cast, event):
        named(event, "Luca Here")
        theirs = mirror.event(mirror.connection(cast.elsewhere))
        named(theirs, "Luca There")
        client.force_login(cast.olive)
        assert client.get(at(theirs)).status_code == 404
        assert [row.guest.name for row in client.get("/o/harbour/guests/?q=luca").context["guests"].rows] == [
            "Luca Here"
        ]
        client.force_login(cast.sam)
        assert client.get(at(event)).status_code == 404
        foreign = Attendee.objects.get(event=event)
        assert client.get(f"/o/elsewhere/guests/{foreign.pk}/").status_code == 404

    def test_tells_the_door_whom_to_ask(self, client, cast, event):
        client.force_login(person("Doris", cast.organization, Role.DOOR))
        answer = client.get(at(event))
        assert answer.status_code == 403
        assert "Your role here does not include it." in answer.content.decode()


class TestDaysOnWhichClocksChange:
    """Berlin: 25 October 2026 has 25 hours, 28 March 2027 has 23."""

    @pytest.mark.parametrize(
        ("day", "inside", "outside"),
        [
            (
                "2026-10-25",
                ["2026-10-24T22:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T22:59:59Z"],
                ["2026-10-24T21:59:59Z", "2026-10-25T23:00:00Z"],
            ),
            (
                "2027-03-28",
                ["2027-03-27T23:00:00Z", "2027-03-28T00:59:00Z", "2027-03-28T01:00:00Z", "2027-03-28T21:59:59Z"],
                ["2027-03-27T22:59:59Z", "2027-03-28T22:00:00Z"],
            ),
        ],
    )
    def test_are_filtered_from_midnight_to_midnight(self, olive, event, day, inside, outside):
        for at_ in inside + outside:
            named(event, f"G {at_}", created_at=at_)
        olive.cookies["foyer_zone"] = "Europe/Berlin"
        assert set(shown(olive, event, since=day, until=day)) == {f"G {at_}" for at_ in inside}

    def test_keep_the_order_of_the_hour_that_comes_twice(self, olive, event):
        named(event, "First Time", created_at="2026-10-25T02:30:00+02:00")
        named(event, "Second Time", created_at="2026-10-25T02:10:00+01:00")
        olive.cookies["foyer_zone"] = "Europe/Berlin"
        assert shown(olive, event) == ["Second Time", "First Time"]


def test_counts_what_a_class_leaves(olive, event):
    patron, friend = (mirror.ticket_class(event, name=name) for name in ("Patron", "Friend"))
    for status in ("valid", "valid", "pending_approval"):
        mirror.guest(event, patron, status=status)
    mirror.guest(event, friend, status="valid")
    page = olive.get(at(event), {"class": patron.pk})
    assert [(tab.status, tab.count) for tab in page.context["tabs"][:3]] == [
        ("", 3), ("valid", 2), ("pending_approval", 1),
    ]  # fmt: skip
    said = page.content.decode()
    assert "3 guests found" in said
    assert "known=" not in said  # news are counted for the whole list
    assert "2 guests found" in olive.get(at(event), {"class": patron.pk, "status": "valid"}).content.decode()
    assert "guests found" not in olive.get(at(event), {"class": patron.pk, "odd": "1"}).content.decode()
