import pytest

from organizer.accounts.models import Organization
from organizer.connections import actions

KEY = "evt_live_" + "a" * 43
OTHER_KEY = "evt_live_" + "b" * 43
URL = "http://localhost:8001/api/v1"


@pytest.fixture
def organization(db):
    return Organization.objects.create(slug="harbour", name="Harbour Hall")


@pytest.fixture
def add(organization):
    def add_(url=URL, key=KEY, service="events", organization=organization, by=None):
        return actions.add(organization=organization, service=service, url=url, key=key, by=by)

    return add_


@pytest.fixture
def connection(add):
    return add()
