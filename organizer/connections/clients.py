"""Opens a client for a connection: the one place where a key is in clear."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from organizer.connections import queries
from organizer.connections.models import Connection
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import Lane, NoLimit
from organizer.upstream.transport import Transport


@contextmanager
def event_api(connection: Connection, lane: str = Lane.PERSON) -> Iterator[EventApi]:
    yield EventApi(transport(connection, lane))


def transport(connection: Connection, lane: str = Lane.PERSON) -> Transport:
    return Transport(
        connection.url,
        queries.key_of(connection),
        limiter=NoLimit(),
        lane=Lane(lane),
        allow_private=settings.FOYER_ALLOW_PRIVATE_ADDRESSES,
    )
