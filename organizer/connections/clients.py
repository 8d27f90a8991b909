"""Opens a client for a connection: the one place where a key is in clear."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from organizer.connections import queries
from organizer.connections.limiter import SharedLimiter
from organizer.connections.models import Connection
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import Lane
from organizer.upstream.transport import Transport


@contextmanager
def event_api(connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0) -> Iterator[EventApi]:
    """Raises `NotYet` where the key's allowance is used up for more than `patience` seconds."""
    yield EventApi(transport(connection, lane, patience))


def transport(connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0) -> Transport:
    return Transport(
        connection.url,
        queries.key_of(connection),
        limiter=SharedLimiter(connection.key_fingerprint, patience=patience),
        lane=Lane(lane),
        allow_private=settings.FOYER_ALLOW_PRIVATE_ADDRESSES,
    )
