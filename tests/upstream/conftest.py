from datetime import UTC, datetime

import httpx
import pytest

from organizer.upstream.event_api import EventApi
from organizer.upstream.transport import Transport

KEY = "evt_live_" + "k" * 43
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)


class Counting:
    """A limiter that says yes and remembers what it was told."""

    def __init__(self):
        self.taken, self.settled = [], []

    def take(self, lane):
        self.taken.append(lane)
        return str(len(self.taken))

    def settle(self, grant, status, headers):
        self.settled.append((grant, status))


@pytest.fixture
def limiter():
    return Counting()


@pytest.fixture
def transport_to(limiter):
    def transport_to_(url, **options):
        return Transport(url, KEY, limiter=limiter, clock=lambda: NOW, **{"allow_private": True} | options)

    return transport_to_


@pytest.fixture
def api(fault_server, transport_to):
    """A client of the server that answers as told."""
    return EventApi(transport_to(f"{fault_server.url}/api/v1"))


@pytest.fixture
def answering(transport_to):
    """A client whose every request gets the one answer."""

    def answering_(status=200, json=None, **response):
        handler = httpx.MockTransport(lambda request: httpx.Response(status, json=json, **response))
        return EventApi(transport_to("https://api.example.test/api/v1", transport=handler))

    return answering_
