import pytest

from servers.event_api.models import TicketClass
from servers.tests import factories
from servers.tests.asserts import assert_invalid, assert_refused

pytestmark = pytest.mark.django_db
FIELDS = {
    "id", "event_id", "name", "description", "status", "kind", "currency", "cost", "price", "free", "quantity_total",
    "quantity_sold", "sales_start", "sales_end", "minimum_per_order", "maximum_per_order", "require_approval",
    "hide_on_event_page", "created_at", "updated_at",
}  # fmt: skip


@pytest.fixture
def path(event):
    return f"/events/{event.pk}/ticket-classes"


def test_create_answers_with_the_whole_class(api, path, event):
    response = api.post(path, {"name": "Balcony", "cost": 25, "quantity_total": 40})
    assert response.status_code == 200
    data = response.json()["data"]
    assert set(data) == FIELDS
    assert (data["cost"], data["price"], data["free"], data["currency"]) == (25, 25, False, "USD")
    assert (data["minimum_per_order"], data["maximum_per_order"], data["event_id"]) == (1, 10, event.pk)
    assert api.get(f"{path}/{data['id']}").json()["data"] == data


def test_create_reads_sales_times_in_the_events_zone(api, organization):
    event = factories.event(organization, timezone="Europe/Berlin")
    body = {"name": "Early", "sales_start": "2030-05-01T09:00", "sales_end": "2030-05-02T09:00:00Z"}
    data = api.post(f"/events/{event.pk}/ticket-classes", body).json()["data"]
    assert (data["sales_start"], data["sales_end"]) == ("2030-05-01T07:00:00Z", "2030-05-02T09:00:00Z")


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"name": "x" * 121}, "name"), ({"name": "Regular"}, "name"), ({"cost": -1}, "cost"), ({"cost": 1.234}, "cost"),
        ({"cost": "5"}, "cost"), ({"cost": 5, "free": True}, "free"), ({"currency": "ZZZ"}, "currency"),
        ({"minimum_per_order": 5, "maximum_per_order": 4}, "maximum_per_order"), ({"kind": "auction"}, "kind"),
        ({"sales_start": "2030-05-02T09:00", "sales_end": "2030-05-01T09:00"}, "sales_end"), ({"price": 5}, "price"),
        ({"sales_start": "soon"}, "sales_start"), ({"description": "x" * 10_001}, "description"),
        ({"quantity_total": -1}, "quantity_total"), ({"status": "active"}, "status"),
    ],
)  # fmt: skip
def test_create_says_where_it_is_wrong(api, path, ticket_class, change, wrong):
    assert_invalid(api.post(path, {"name": "Balcony"} | change), wrong)
    assert TicketClass.objects.count() == 1


def test_a_name_is_free_again_after_deletion(api, path, ticket_class):
    api.delete(f"{path}/{ticket_class.pk}")
    assert api.post(path, {"name": ticket_class.name}).status_code == 200


def test_update_changes_only_what_it_names(api, path, ticket_class):
    before = api.get(f"{path}/{ticket_class.pk}").json()["data"]
    after = api.patch(f"{path}/{ticket_class.pk}", {"cost": 10.5}).json()["data"]
    assert after.pop("updated_at") > before.pop("updated_at")
    assert after == before | {"cost": 10.5, "price": 10.5, "free": False}


def test_update_needs_a_field(api, path, ticket_class):
    assert_refused(api.patch(f"{path}/{ticket_class.pk}", {}), 400, "At least one field is required")


def test_update_refuses_a_name_that_is_taken(api, path, event, ticket_class):
    other = factories.ticket_class(event, name="Balcony")
    assert_refused(api.patch(f"{path}/{other.pk}", {"name": "Regular"}), 409, "name_exists")


def test_delete_hides_it_from_the_list_but_not_by_id(api, path, ticket_class):
    assert api.delete(f"{path}/{ticket_class.pk}").json() == {"data": {"deleted": True, "id": ticket_class.pk}}
    assert api.get(path).json()["data"] == []
    assert api.get(f"{path}/{ticket_class.pk}").json()["data"]["status"] == "deleted"
    assert_refused(api.patch(f"{path}/{ticket_class.pk}", {"name": "x"}), 404, "Ticket class not found")


def test_delete_is_refused_while_tickets_are_held(api, path, ticket_class):
    factories.attendee(ticket_class)
    assert assert_refused(api.delete(f"{path}/{ticket_class.pk}"), 409, "sold_tickets")["sold_count"] == 1


def test_quantity_never_falls_below_what_is_sold(api, path, event):
    row = factories.ticket_class(event, name="Sold", quantity_total=5)
    for _ in range(3):
        factories.attendee(row)
    refused = assert_refused(api.patch(f"{path}/{row.pk}", {"quantity_total": 2}), 409, "sold_tickets")
    assert refused["sold_count"] == 3
    for quantity in (3, 0, 5):
        assert api.patch(f"{path}/{row.pk}", {"quantity_total": quantity}).status_code == 200


def test_more_sold_than_seats_is_no_reason_to_refuse_another_field(api, path, event):
    row = factories.ticket_class(event, name="Crowded", quantity_total=1)
    for _ in range(3):
        factories.attendee(row, "checked_in")
    assert api.patch(f"{path}/{row.pk}", {"name": "Full house", "quantity_total": 1}).status_code == 200
    assert api.patch(f"{path}/{row.pk}", {"quantity_total": 2}).status_code == 200


def test_counts_the_seats_that_are_taken(api, path, ticket_class):
    for status in ("valid", "checked_in", "pending_approval", "invited", "rejected", "deleted"):
        factories.attendee(ticket_class, status)
    assert api.get(path).json()["data"][0]["quantity_sold"] == 2
    assert api.get(f"{path}/{ticket_class.pk}").json()["data"]["quantity_sold"] == 2


def test_a_class_of_another_event_is_not_found(api, path, organization):
    foreign = factories.ticket_class(factories.event(organization))
    assert_refused(api.get(f"{path}/{foreign.pk}"), 404, "Ticket class not found")
