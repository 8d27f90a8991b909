import pytest
from django.utils import timezone

from tests.support import mirror


@pytest.fixture
def event(cast):
    now = timezone.now()
    connection = mirror.connection(cast.organization)
    made = mirror.event(connection, status="active", start={"utc": now.isoformat(), "timezone": "Europe/Berlin"})
    mirror.swept(connection, "attendees", str(made.remote_id), at=now)
    return made


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client
