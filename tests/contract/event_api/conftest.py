import itertools

import pytest

from organizer.connections.probe import EVENT_SCOPES
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import NoLimit
from organizer.upstream.transport import Transport

_numbers = itertools.count(1)


@pytest.fixture
def open_api(event_server):
    """Opens a client with a key of the given scopes, for one organization of this test."""
    organization = f"contract-{next(_numbers)}"

    def open_(*scopes, organization=organization):
        key = event_server.make_key(organization, scopes or EVENT_SCOPES)
        return EventApi(Transport(f"{event_server.url}/api/v1", key, limiter=NoLimit(), allow_private=True))

    return open_


@pytest.fixture
def api(open_api):
    return open_api()


@pytest.fixture
def event(api):
    return api.events.create(
        {
            "name": "Łucja’s “Dinner” 🎉",
            "start": {"utc": "2027-03-01T18:00:00Z", "timezone": "Europe/Warsaw"},
            "end": {"utc": "2027-03-01T22:00:00Z", "timezone": "Europe/Warsaw"},
            "location": "Main Street 1",
            "capacity": 50,
        },
        idempotency_key="event",
    )


@pytest.fixture
def ticket_class(api, event):
    return api.ticket_classes.page(event.id, 1).items[0]


@pytest.fixture
def guest(api, event, ticket_class):
    [guest] = api.attendees.create(
        event.id,
        {
            "ticket_class_id": ticket_class.id,
            "contact": {"email": "o'hara@example.test", "first_name": "Zoë", "last_name": "O'Hara"},
            "status": "pending_approval",
        },
        idempotency_key="guest",
    )
    return guest
