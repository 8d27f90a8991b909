import json
from datetime import timedelta

import pytest
from django.db import connection

from servers.event_api import housekeeping, rules
from servers.event_api.models import Attendee, IdempotencyRecord
from servers.kit import clock
from servers.mail.models import OutgoingMail
from servers.tests import factories
from servers.tests.asserts import assert_invalid, assert_refused
from servers.tests.conftest import api_for

pytestmark = pytest.mark.django_db
KEY = {"Idempotency_Key": "7c0e7f50-3d0e-4f0f-9a53-0f2f0f1d0c11"}


@pytest.fixture
def path(event):
    return f"/events/{event.pk}/attendees"


@pytest.fixture
def body(ticket_class):
    return {"ticket_class_id": ticket_class.pk, "contact": {"email": "ada@example.com"}, "send_email": True}


def assert_replayed(first, again):
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first


def test_writes_and_mails_once(api, path, body):
    first, again = (api.post(path, body, **KEY) for _ in range(2))
    assert first.status_code == 201
    assert_replayed(first, again)
    assert first["X-Request-Id"] != again["X-Request-Id"]
    assert (Attendee.objects.count(), OutgoingMail.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("age", "new"),
    [(timedelta(hours=23, minutes=59), False), (timedelta(hours=24, seconds=1), True)],
)
def test_lasts_for_a_day(api, path, body, age, new):
    with clock.handed_in(lambda: factories.START):
        first = api.post(path, body, **KEY)
    with clock.handed_in(lambda: factories.START + age):
        again = api.post(path, body, **KEY)
    assert Attendee.objects.count() == (2 if new else 1)
    if new:
        assert again.json()["data"][0]["id"] != first.json()["data"][0]["id"]
        assert "Idempotent-Replay" not in again
    else:
        assert_replayed(first, again)


def test_is_new_for_another_body_once_the_day_is_over(api, path, body):
    with clock.handed_in(lambda: factories.START):
        api.post(path, body, **KEY)
    with clock.handed_in(lambda: factories.START + timedelta(hours=25)):
        assert api.post(path, body | {"quantity": 2}, **KEY).json()["quantity"] == 2


def test_refuses_the_same_key_with_another_body(api, path, body):
    api.post(path, body, **KEY)
    assert_refused(api.post(path, body | {"quantity": 2}, **KEY), 400, "idempotency_key_reuse")
    assert Attendee.objects.count() == 1


def test_belongs_to_one_key_method_and_path(api, organization, event, path, body):
    api.post(path, body, **KEY)
    assert "Idempotent-Replay" not in api_for(organization).post(path, body, **KEY)
    assert "Idempotent-Replay" not in api.post(f"/events/{event.pk}/ticket-classes", body, **KEY)
    guest = Attendee.objects.first()
    assert api.patch(f"{path}/{guest.pk}", {"status": "checked_in"}, **KEY).json()["data"]["status"] == "checked_in"
    assert api.delete(f"{path}/{guest.pk}", **KEY).json()["data"]["deleted"]


def test_replays_a_400_and_a_422_and_a_missing_object(api, event, path, ticket_class):
    factories.attendee(ticket_class, "rejected")
    guest = Attendee.objects.get()
    calls = [
        ("POST", path, {"quantity": 0}, 400),
        ("POST", "/events", b"{", 400),
        ("PATCH", f"{path}/{guest.pk}", {"status": "valid"}, 422),
        ("PATCH", f"{path}/{'x' * 20}", {"status": "valid"}, 404),
    ]
    for method, where, body, status in calls:
        first, again = (api.call(method, where, body, **KEY) for _ in range(2))
        assert first.status_code == status
        assert_replayed(first, again)


def test_forgets_a_401_a_403_a_409_a_429_and_unknown_routes(api, organization, event, path, body, ticket_class):
    factories.attendee(ticket_class, payment_id="pay_1")
    reader = api_for(organization, "attendees:read")
    limited = api_for(organization, limit="1/10")
    limited.get("/events")
    refused = [
        (reader.post(path, body, **KEY), 403),
        (limited.post(path, body, **KEY), 429),
        (api.post("/no/such/route", body, **KEY), 404),
        (api.call("PUT", path, body, **KEY), 405),
        (api.delete(f"/events/{event.pk}", **KEY), 409),
    ]
    assert [response.status_code for response, _ in refused] == [status for _, status in refused]
    assert not IdempotencyRecord.objects.exists()


def test_a_refused_write_leaves_nothing(api, path, event):
    full = factories.ticket_class(event, name="Full", quantity_total=1)
    body = {"ticket_class_id": full.pk, "contact": {"email": "new@example.com"}, "quantity": 2}
    assert_refused(api.post(path, body, **KEY), 422, rules.CLASS_SOLD_OUT)
    assert not Attendee.objects.exists()
    assert not event.organization.contacts.exists()


def test_a_failure_leaves_nothing_and_is_not_recorded(api, path, body):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE jobs_job RENAME TO jobs_away")
        assert_refused(api.post(path, body, **KEY), 500, "internal_error")
        cursor.execute("ALTER TABLE jobs_away RENAME TO jobs_job")
    assert not Attendee.objects.exists()
    assert not OutgoingMail.objects.exists()
    assert api.post(path, body, **KEY).status_code == 201


def test_says_when_the_first_is_still_being_answered(api, path, body):
    api.post(path, body, **KEY)
    IdempotencyRecord.objects.update(status=None, body=b"")
    assert_refused(api.post(path, body, **KEY), 409, "idempotent_request_in_progress")
    assert Attendee.objects.count() == 1


def test_takes_over_from_a_process_that_died(api, path, body):
    api.post(path, body, **KEY)
    IdempotencyRecord.objects.update(status=None, body=b"", lease_until=clock.now() - timedelta(seconds=1))
    Attendee.objects.all().delete()
    assert api.post(path, body, **KEY).status_code == 201
    assert IdempotencyRecord.objects.get().status == 201


@pytest.mark.parametrize(("length", "status"), [(255, 201), (256, 400), (0, 400)])
def test_limits_the_length_of_a_key(api, path, body, length, status):
    response = api.post(path, body, Idempotency_Key="k" * length)
    assert response.status_code == status
    if status == 400:
        assert_invalid(response, "Idempotency-Key")


def test_keeps_the_body_byte_for_byte(api, path, body):
    api.post(path, body, **KEY)
    spaced = json.dumps(body, indent=1).encode()
    assert_refused(api.post(path, spaced, **KEY), 400, "idempotency_key_reuse")


def test_bears_a_path_of_any_length(api):
    for _ in range(2):
        assert_refused(api.patch(f"/events/{'x' * 3000}", {"hidden": True}, **KEY), 404, "Event not found")


def test_is_cleared_away_after_its_day(api, path, body):
    with clock.handed_in(lambda: factories.START):
        api.post(path, body, **KEY)
    for hours, left in ((24, 1), (26, 0)):
        with clock.handed_in(lambda hours=hours: factories.START + timedelta(hours=hours)):
            housekeeping.clean_up()
        assert IdempotencyRecord.objects.count() == left
