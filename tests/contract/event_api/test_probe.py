"""Whether a key's scopes are found out as our server grants them."""

import pytest

from organizer.connections import probe
from organizer.connections.probe import DENIED, EVENT_SCOPES, GRANTED


@pytest.mark.parametrize("with_event", [True, False])
@pytest.mark.parametrize("granted", [EVENT_SCOPES, EVENT_SCOPES[:1], EVENT_SCOPES[1:4], EVENT_SCOPES[4:]])
def test_finds_the_scopes(open_api, request, with_event, granted):
    if with_event:
        request.getfixturevalue("event")
    found = probe.event_api(open_api(*granted))
    assert found.scopes == {scope: GRANTED if scope in granted else DENIED for scope in EVENT_SCOPES}


def test_changes_nothing(open_api, api, event, guest):
    before = (event, guest)
    probe.event_api(open_api())
    assert (api.events.get(event.id), api.attendees.get(event.id, guest.id)) == before
    assert api.events.page(1).total == 1
