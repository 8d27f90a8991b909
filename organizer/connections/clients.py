"""Opens a client for a connection: the one place where a key is in clear."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.utils.translation import gettext as _

from organizer.connections import health, vault
from organizer.connections.limiter import SharedLimiter
from organizer.connections.models import Connection, Service
from organizer.upstream.errors import KeyRefused
from organizer.upstream.event_api import EventApi
from organizer.upstream.limits import Lane
from organizer.upstream.supplier_api import SupplierApi
from organizer.upstream.transport import Transport


@contextmanager
def event_api(connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0) -> Iterator[EventApi]:
    """Raises `NotYet` where the key's allowance is used up for more than `patience` seconds."""
    yield EventApi(_way_out(connection, lane, patience))


@contextmanager
def supplier_api(
    connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0, timeout: float | None = None
) -> Iterator[SupplierApi]:
    yield SupplierApi(_way_out(connection, lane, patience, timeout))


@contextmanager
def api(connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0) -> Iterator[EventApi | SupplierApi]:
    """Whatever the connection is to."""
    opened = supplier_api if connection.service == Service.SUPPLIER else event_api
    with opened(connection, lane, patience) as client:
        yield client


def _way_out(connection: Connection, lane: str, patience: float, timeout: float | None = None) -> Transport:
    try:
        return transport(connection, lane, patience, timeout)
    except vault.CouldNotOpen:
        lost = KeyRefused(_("The stored key does not open with this installation's key ring."))
        health.note_failure(connection=connection, error=lost)
        raise lost from None


def transport(
    connection: Connection, lane: str = Lane.PERSON, patience: float = 0.0, timeout: float | None = None
) -> Transport:
    return Transport(
        connection.url,
        vault.opened(connection),
        limiter=SharedLimiter(connection.key_fingerprint, patience=patience),
        lane=Lane(lane),
        bearer=connection.service == Service.SUPPLIER,
        allow_private=settings.FOYER_ALLOW_PRIVATE_ADDRESSES,
        timeout=min(timeout or settings.FOYER_API_TIMEOUT, settings.FOYER_API_TIMEOUT),
    )
