import pytest
from django.utils.dateparse import parse_datetime

from servers.event_api.models import Event
from servers.kit import clock
from servers.tests import factories
from servers.tests.asserts import assert_invalid, assert_refused

pytestmark = pytest.mark.django_db
NEW = {
    "name": "Summer gala",
    "start": {"utc": "2030-06-01T18:00", "timezone": "America/New_York"},
    "end": {"utc": "2030-06-01T23:00", "timezone": "America/New_York"},
    "location": "1 Main Street",
}
FIELDS = {
    "id", "name", "description", "status", "registration_status", "url", "currency", "capacity", "tickets_sold",
    "start", "end", "venue", "location_type", "video_link", "cover_image", "hidden", "require_approval",
    "tax_inclusive", "allow_rsvp", "required_contact_method", "remove_service_fees", "restricted_list_ids",
    "space_id", "categories", "created_at", "updated_at",
}  # fmt: skip


class TestCreate:
    def test_answers_with_the_whole_event(self, api):
        response = api.post("/events", NEW | {"currency": "EUR", "capacity": 80})
        assert response.status_code == 200
        data = response.json()["data"]
        assert set(data) == FIELDS
        assert len(data["id"]) == 20
        assert (data["currency"], data["capacity"], data["status"]) == ("eur", 80, "active")
        assert (data["space_id"], data["tickets_sold"], data["location_type"]) == ("GENERAL", 0, "physical")
        assert data["venue"]["address"] == "1 Main Street"
        assert api.get(f"/events/{data['id']}").json()["data"] == data

    def test_reads_local_time_in_its_zone(self, api):
        data = api.post("/events", NEW).json()["data"]
        assert data["start"] == {"utc": "2030-06-01T22:00:00Z", "timezone": "America/New_York"}

    def test_makes_general_admission(self, api):
        event_id = api.post("/events", NEW | {"ticket_price": 12.5, "currency": "gbp"}).json()["data"]["id"]
        [only] = api.get(f"/events/{event_id}/ticket-classes").json()["data"]
        assert (only["name"], only["cost"], only["currency"], only["free"]) == ("General Admission", 12.5, "GBP", False)

    def test_makes_it_free_without_a_price(self, api):
        event_id = api.post("/events", NEW).json()["data"]["id"]
        [only] = api.get(f"/events/{event_id}/ticket-classes").json()["data"]
        assert (only["cost"], only["price"], only["free"]) == (0, 0, True)

    def test_takes_a_link_for_a_virtual_place(self, api):
        data = api.post("/events", NEW | {"location": "https://meet.example/1"}).json()["data"]
        assert (data["location_type"], data["video_link"], data["venue"]) == ("virtual", "https://meet.example/1", None)

    @pytest.mark.parametrize("missing", ["name", "start", "end", "location"])
    def test_needs_its_four_fields(self, api, missing):
        assert_invalid(api.post("/events", {name: NEW[name] for name in NEW if name != missing}), missing)

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"colour": "red"}, "colour"),
            ({"name": ""}, "name"),
            ({"name": "x" * 201}, "name"),
            ({"name": 5}, "name"),
            ({"name": "a\x00b"}, "name"),
            ({"name": "a\ud800b"}, "name"),
            ({"description": None, "venue": {"name": "a\x00"}}, "venue.name"),
            ({"categories": ["a", "b\x00"]}, "categories.1"),
            ({"capacity": -1}, "capacity"),
            ({"capacity": "5"}, "capacity"),
            ({"capacity": True}, "capacity"),
            ({"capacity": 10**30}, "capacity"),
            ({"currency": "xxz"}, "currency"),
            ({"currency": "jpy", "ticket_price": 1.5}, "ticket_price"),
            ({"ticket_price": -1}, "ticket_price"),
            ({"status": "cancelled"}, "status"),
            ({"hidden": "yes"}, "hidden"),
            ({"cover_image": "javascript:alert(1)"}, "cover_image"),
            ({"start": {"utc": "tomorrow", "timezone": "UTC"}}, "start.utc"),
            ({"start": {"utc": "2030-02-30T10:00", "timezone": "UTC"}}, "start.utc"),
            ({"start": {"utc": "2030-06-01T18:00", "timezone": "Mars/Base"}}, "start.timezone"),
            ({"start": {"utc": "2030-06-01T18:00"}}, "start.timezone"),
            ({"end": {"utc": "2030-06-01T18:00", "timezone": "America/New_York"}}, "end"),
            ({"end": {"utc": "2030-06-01T23:30", "timezone": "Europe/Paris"}}, "end.timezone"),
            ({"end": None}, "end"),
            ({"location": "https://"}, "location"),
            ({"location": "https://meet.example/a b"}, "location"),
        ],
    )
    def test_says_where_it_is_wrong(self, api, change, path):
        assert_invalid(api.post("/events", NEW | change), path)
        assert not Event.objects.exists()

    @pytest.mark.parametrize(
        "body",
        [
            b"{",
            b'{"name": NaN}',
            b"\xff",
            b"[" * 100_000,
            b'{"a": Infinity}',
            b'{"a": 1e5',
            b"1" * 5000,
            b'{"name": "a", "name": "b"}',
            b"\xef\xbb\xbf{}",
        ],
    )
    def test_takes_only_strict_json(self, api, body):
        assert_refused(api.post("/events", body), 400, "invalid_json")

    @pytest.mark.parametrize("body", [b"[]", b'"text"', b"null", b""])
    def test_takes_only_an_object(self, api, body):
        assert_refused(api.post("/events", body), 400, "Validation failed")

    def test_takes_a_body_of_limited_size(self, api):
        assert_refused(api.post("/events", b" " * 1_000_001), 413, "payload_too_large")


class TestClockChanges:
    def test_names_the_next_valid_time_where_one_is_missing(self, api):
        start = {"utc": "2030-03-31T02:30", "timezone": "Europe/Berlin"}
        detail = assert_invalid(api.post("/events", NEW | {"start": start}), "start.utc")
        assert "2030-03-31T03:00:00" in detail["message"]

    def test_takes_the_first_of_two(self, api):
        start = {"utc": "2030-10-27T02:30", "timezone": "Europe/Berlin"}
        end = {"utc": "2030-10-27T12:00", "timezone": "Europe/Berlin"}
        data = api.post("/events", NEW | {"start": start, "end": end}).json()["data"]
        assert data["start"]["utc"] == "2030-10-27T00:30:00Z"

    def test_takes_an_offset_as_it_is(self, api):
        start = {"utc": "2030-03-31T02:30:00+02:00", "timezone": "Europe/Berlin"}
        end = {"utc": "2030-10-27T12:00:00Z", "timezone": "Europe/Berlin"}
        data = api.post("/events", NEW | {"start": start, "end": end}).json()["data"]
        assert data["start"]["utc"] == "2030-03-31T00:30:00Z"


class TestUpdate:
    def test_changes_only_what_it_names(self, api, event):
        before = api.get(f"/events/{event.pk}").json()["data"]
        after = api.patch(f"/events/{event.pk}", {"hidden": True, "capacity": 7}).json()["data"]
        assert after.pop("updated_at") > before.pop("updated_at")
        assert after == before | {"hidden": True, "capacity": 7}

    def test_replaces_the_venue_whole(self, api, event):
        api.patch(f"/events/{event.pk}", {"venue": {"name": "Hall", "city": "Bonn"}})
        venue = api.patch(f"/events/{event.pk}", {"venue": {"name": "Barn"}}).json()["data"]["venue"]
        assert (venue["name"], venue["city"]) == ("Barn", None)

    def test_keeps_the_place_that_null_stands_beside(self, api, event):
        data = api.patch(f"/events/{event.pk}", {"location": "2 Side Street", "venue": None}).json()["data"]
        assert (data["location_type"], data["venue"]["address"]) == ("physical", "2 Side Street")
        body = {"location": "HTTPS://meet.example/1", "venue": None, "video_link": None}
        data = api.patch(f"/events/{event.pk}", body).json()["data"]
        assert (data["location_type"], data["video_link"], data["venue"]) == ("virtual", body["location"], None)

    def test_capacity_never_falls_below_what_is_sold(self, api, event, ticket_class):
        for _ in range(3):
            factories.attendee(ticket_class)
        assert_invalid(api.patch(f"/events/{event.pk}", {"capacity": 2}), "capacity")
        for capacity in (3, 0, 4):
            assert api.patch(f"/events/{event.pk}", {"capacity": capacity}).status_code == 200

    def test_takes_an_end_away(self, api, event):
        assert api.patch(f"/events/{event.pk}", {"end": None}).json()["data"]["end"] is None

    def test_needs_a_field(self, api, event):
        assert_refused(api.patch(f"/events/{event.pk}", {}), 400, "At least one field is required")

    def test_refuses_null_where_there_must_be_a_value(self, api, event):
        assert_invalid(api.patch(f"/events/{event.pk}", {"name": None}), "name")

    def test_refuses_an_unknown_field(self, api, event):
        assert_invalid(api.patch(f"/events/{event.pk}", {"colour": 1}), "colour")

    def test_keeps_the_end_after_the_start(self, api, event):
        start = {"utc": "2030-06-01T22:00:00Z", "timezone": "UTC"}
        assert_invalid(api.patch(f"/events/{event.pk}", {"start": start}), "end")

    @pytest.mark.parametrize(
        ("old", "new", "status"),
        [
            ("draft", "active", 200), ("active", "cancelled", 200), ("cancelled", "active", 200),
            ("active", "active", 200), ("active", "draft", 400), ("draft", "cancelled", 400),
            ("cancelled", "draft", 400), ("active", "completed", 400), ("active", "deleted", 400),
        ],
    )  # fmt: skip
    def test_moves_along_its_states(self, api, organization, old, new, status):
        event = factories.event(organization, status=old)
        assert api.patch(f"/events/{event.pk}", {"status": new}).status_code == status


class TestDelete:
    def test_is_soft_and_may_be_repeated(self, api, event):
        for _ in range(2):
            response = api.delete(f"/events/{event.pk}")
            assert (response.status_code, response.json()) == (200, {"data": {"deleted": True, "id": event.pk}})
        assert api.get(f"/events/{event.pk}").json()["data"]["status"] == "deleted"
        assert api.get("/events").json()["data"] == []
        assert_refused(api.patch(f"/events/{event.pk}", {"hidden": True}), 404, "Event not found")

    def test_is_refused_while_guests_hold_paid_tickets(self, api, event, ticket_class):
        guest = factories.attendee(ticket_class, "checked_in", payment_id="pay_1")
        assert assert_refused(api.delete(f"/events/{event.pk}"), 409, "sold_tickets")["sold_count"] == 1
        guest.payment_id = None
        guest.save()
        assert api.delete(f"/events/{event.pk}").status_code == 200


class TestList:
    def test_pages_in_order_of_making(self, api, organization):
        made = [factories.event(organization, name=f"E{n}").pk for n in range(5)]
        first = api.get("/events?page_size=2").json()
        assert [one["id"] for one in first["data"]] == made[:2]
        assert first["pagination"] == {"total": 5, "page": 1, "page_size": 2, "total_pages": 3}
        assert [one["id"] for one in api.get("/events?page=3&page_size=2").json()["data"]] == made[4:]

    @pytest.mark.parametrize("page", ["2", "999999999999999999999999"])
    def test_answers_a_page_past_the_end_empty(self, api, event, page):
        response = api.get(f"/events?page={page}")
        assert (response.status_code, response.json()["data"]) == (200, [])
        assert response.json()["pagination"]["total"] == 1

    @pytest.mark.parametrize(
        ("query", "path"),
        [("page=0", "page"), ("page=x", "page"), ("page=1.0", "page"), ("page=", "page"), ("page_size=0", "page_size"),
         ("page_size=201", "page_size"), ("status=open", "status"), ("status=", "status"), ("status=deleted", "status"),
         ("status=active,", "status")],
    )  # fmt: skip
    def test_refuses_a_bad_parameter(self, api, query, path):
        assert_invalid(api.get(f"/events?{query}"), path)

    def test_ignores_an_unknown_parameter(self, api, event):
        assert len(api.get("/events?colour=red").json()["data"]) == 1

    def test_filters_by_status_and_time(self, api, organization):
        now = parse_datetime("2030-01-10T12:00:00Z")
        day = {"past": ("2030-01-01T10:00Z", "2030-01-01T12:00Z"), "now": ("2030-01-10T10:00Z", "2030-01-10T14:00Z")}
        day |= {"later": ("2030-02-01T10:00Z", "2030-02-01T12:00Z"), "open": ("2030-01-10T11:00Z", None)}
        day |= {"long over": ("2030-01-08T11:00Z", None)}
        for name, (start, end) in day.items():
            factories.event(organization, name=name, start_at=parse_datetime(start), end_at=end and parse_datetime(end))
        factories.event(organization, name="draft", status="draft")
        factories.event(organization, name="cancelled", status="cancelled")
        factories.event(organization, name="deleted", status="deleted")
        expected = {
            "draft": {"draft"}, "cancelled": {"cancelled"}, "active": {"now", "later", "open"},
            "completed": {"past", "long over"}, "past": {"past", "long over"}, "ongoing": {"now", "open"},
            "upcoming": {"later", "draft", "cancelled"}, "active,upcoming": {"later"}, "draft,past": set(),
            "draft,completed": {"draft", "past", "long over"},
            "draft,active,cancelled,completed": {*day, "draft", "cancelled"},
        }  # fmt: skip
        with clock.handed_in(lambda: now):
            for words, names in expected.items():
                found = api.get(f"/events?status={words}").json()["data"]
                assert {one["name"] for one in found} == names, words
            assert len(api.get("/events").json()["data"]) == 7
            assert {one["status"] for one in api.get("/events?status=past").json()["data"]} == {"completed"}

    def test_counts_the_seats_that_are_taken(self, api, ticket_class):
        for status in ("valid", "checked_in", "pending_approval", "invited", "rejected", "deleted"):
            factories.attendee(ticket_class, status)
        assert api.get("/events").json()["data"][0]["tickets_sold"] == 2

    def test_asks_the_same_few_questions_for_any_number(self, api, organization, django_assert_max_num_queries):
        for n in range(30):
            factories.attendee(factories.ticket_class(factories.event(organization, name=f"E{n}")))
        with django_assert_max_num_queries(6):
            api.get("/events")
