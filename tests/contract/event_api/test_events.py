from datetime import UTC, datetime

import pytest

from organizer.upstream.errors import KeyRefused, NotFound, Refused, ScopeMissing
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import NoLimit
from organizer.upstream.transport import Transport
from tests.support.network import watched


def test_creates_and_reads_back(api, event):
    assert api.events.get(event.id) == event
    assert event.name == "Łucja’s “Dinner” 🎉"
    assert event.start == datetime(2027, 3, 1, 18, tzinfo=UTC)
    assert event.timezone == "Europe/Warsaw"
    assert (event.capacity, event.tickets_sold, event.status) == (50, 0, "active")
    assert event.doubts == ()


def test_keeps_the_whole_answer(event):
    assert event.payload["space_id"] == "GENERAL"
    assert event.payload["start"] == {"utc": "2027-03-01T18:00:00Z", "timezone": "Europe/Warsaw"}


def test_lists_page_by_page(api, event):
    for number in range(2):
        api.events.create({**_body(event), "name": f"Another {number}"}, idempotency_key=f"another-{number}")
    first, second, beyond = (api.events.page(number, size=2) for number in (1, 2, 3))
    assert [len(page.items) for page in (first, second, beyond)] == [2, 1, 0]
    assert (first.pages, first.total, first.doubts) == (2, 3, ())
    assert first.items[0].id == event.id


def test_lists_by_status(api, event):
    assert api.events.page(1, status="draft").items == ()
    assert [found.id for found in api.events.page(1, status="active").items] == [event.id]


def test_updates(api, event):
    changed = api.events.update(event.id, {"name": "Supper", "capacity": 0}, idempotency_key="update")
    assert (changed.name, changed.capacity) == ("Supper", 0)
    assert api.events.get(event.id) == changed


def test_does_a_write_once(api, event):
    again = api.events.create(_body(event), idempotency_key="once")
    assert api.events.create(_body(event), idempotency_key="once") == again
    assert api.events.page(1).total == 2


def test_names_the_field_that_is_wrong(api, event):
    with pytest.raises(Refused) as refusal:
        api.events.update(event.id, {"capacity": -1}, idempotency_key="wrong")
    assert refusal.value.status == 400
    assert refusal.value.error == "Validation failed"
    assert "capacity" in refusal.value.details[0]["path"]


def test_deletes(api, event):
    api.events.delete(event.id, idempotency_key="delete")
    assert api.events.page(1).items == ()


def test_says_what_is_not_there(api):
    with pytest.raises(NotFound) as missing:
        api.events.get("nothing like this?&#")
    assert missing.value.error == "Event not found"


@pytest.mark.parametrize("odd", ["../events", "..", "a/b", "x%2fy", "?status=draft", "\u202eevent"])
def test_takes_any_text_for_an_id(api, event, odd):
    with pytest.raises(NotFound):
        api.events.get(odd)


def test_does_not_see_another_organization(event, open_api):
    stranger = open_api(organization="contract-stranger")
    with pytest.raises(NotFound):
        stranger.events.get(event.id)
    assert stranger.events.page(1).items == ()


def test_names_the_scope_that_is_missing(event, open_api):
    reader = open_api("events:read")
    assert reader.events.get(event.id).id == event.id
    with pytest.raises(ScopeMissing) as refusal:
        reader.events.update(event.id, {"name": "Mine"}, idempotency_key="scope")
    assert refusal.value.scope == "events:write"


def test_says_that_a_key_is_refused(event_server):
    wrong = Transport(f"{event_server.url}/api/v1", "evt_live_wrong", limiter=NoLimit(), allow_private=True)
    with pytest.raises(KeyRefused) as refusal:
        EventApi(wrong).events.page(1)
    assert refusal.value.error == "Invalid or revoked API key"


def _body(event):
    return {"name": event.name, "start": event.payload["start"], "end": event.payload["end"], "location": "Here 1"}


def test_keeps_its_connection_open(api, event):
    with watched() as opened:
        for _ in range(5):
            api.events.get(event.id)
    assert len(opened) <= 1
