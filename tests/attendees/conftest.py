import pytest

from tests.support import mirror


@pytest.fixture
def event(cast):
    return mirror.event(mirror.connection(cast.organization))


@pytest.fixture
def ada(event):
    return mirror.guest(event, first_name="Ada", last_name="King", email="ada@mail.test", status="pending_approval")


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client
