import pytest
from django.utils import timezone

from tests.support import mirror


@pytest.fixture
def event(cast):
    """Today's, of Harbour; its list was read a minute ago."""
    connection = mirror.connection(cast.organization)
    event = mirror.event(connection)
    mirror.swept(connection, "attendees", str(event.remote_id), at=timezone.now())
    return event


@pytest.fixture
def guest(event):
    return mirror.guest(event, mirror.ticket_class(event), first_name="Ana", last_name="Silva", barcode="FOY-ANA")
