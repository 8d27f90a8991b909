"""Opens a client for a connection: the one place where a key is in clear."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from organizer.connections import health, vault
from organizer.connections.limiter import SharedLimiter
from organizer.connections.models import Connection
from organizer.upstream.errors import KeyRefused
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import Lane
from organizer.upstream.transport import Transport


@contextmanager
def event_api(connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0) -> Iterator[EventApi]:
    """Raises `NotYet` where the key's allowance is used up for more than `patience` seconds."""
    try:
        way_out = transport(connection, lane, patience)
    except vault.CouldNotOpen:
        lost = KeyRefused(_("The stored key does not open with this installation's key ring."))
        health.note_failure(connection=connection, error=lost)
        raise lost from None
    yield EventApi(way_out)


def transport(connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0) -> Transport:
    return Transport(
        connection.url,
        vault.opened(connection),
        limiter=SharedLimiter(connection.key_fingerprint, patience=patience),
        lane=Lane(lane),
        allow_private=settings.FOYER_ALLOW_PRIVATE_ADDRESSES,
        timeout=settings.FOYER_API_TIMEOUT,
    )
