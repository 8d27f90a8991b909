from io import BytesIO

import pytest

from organizer.imports import actions, reading
from tests.support import mirror


@pytest.fixture
def event(cast):
    return mirror.event(mirror.connection(cast.organization))


@pytest.fixture
def general(event):
    return mirror.ticket_class(event, name="General admission", quantity_total=0)


@pytest.fixture
def olive(client, cast):
    client.force_login(cast.olive)
    return client


@pytest.fixture
def tried(event, general, cast):
    """Takes a file and tries it out; `choices` beside those that suit `email,name`."""

    def go(text, **choices):
        data = text if isinstance(text, bytes) else text.encode()
        table = reading.read(BytesIO(data), len(data))
        found = actions.take(event=event, file_name="guests.csv", table=table, by=cast.olive)
        said = {"fields": ["email", "name"], "ticket_class": general.remote_id, "status": "valid"} | choices
        actions.try_out(found=found, choices=said, by=cast.olive)
        found.refresh_from_db()
        return found

    return go


def file_of(number):
    return "email,name\n" + "".join(f"guest{n}@file.test,Guest {n} Öst\n" for n in range(number))
