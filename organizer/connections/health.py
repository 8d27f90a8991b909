"""What we know of a connection's health, kept as it is used. Written only when it changes."""

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.connections import probe
from organizer.connections.models import Connection, Health, Service
from organizer.upstream.errors import (
    Broken,
    Forbidden,
    KeyRefused,
    Limited,
    NotFound,
    NotYet,
    Refused,
    ScopeMissing,
    Unreachable,
    UpstreamError,
)
from organizer.upstream.event_api import EventApi
from organizer.upstream.supplier_api import SupplierApi


def note_failure(*, connection: Connection, error: UpstreamError) -> None:
    """Any error of a request may be handed in: most of them say nothing about the connection."""
    match error:
        case KeyRefused():
            _set(connection, Health.KEY_REFUSED, error.message)
        case Unreachable() | Broken() | Forbidden() if connection.health != Health.KEY_REFUSED:
            _set(connection, Health.UNREACHABLE, error.message)
        case ScopeMissing():
            _set_scopes(connection, {error.scope: probe.DENIED})


def note_success(*, connection: Connection, scope: str = "") -> None:
    if connection.health == Health.UNREACHABLE:
        _set(connection, Health.WORKING, "")
    if scope and connection.scopes.get(scope) != probe.GRANTED:
        _set_scopes(connection, {scope: probe.GRANTED})


def remember_events(*, connection: Connection, ids: Sequence[str]) -> None:
    """What the present key sees, so that a later one that sees nothing of it is noticed."""
    if ids and list(ids) != connection.known_events:
        _update(connection, known_events=list(ids), known_by=connection.key_fingerprint)


def check(*, connection: Connection, api: EventApi | SupplierApi | None) -> None:
    """Tries the connection and keeps what was found. Raises `NotYet` and `Limited`: then it is to be tried again."""
    if api is None:
        _checked(connection, _("Stored. It is tried when it is first used."))
        return
    try:
        found = probe.supplier_api(api) if isinstance(api, SupplierApi) else probe.event_api(api)
    except (NotYet, Limited):
        raise
    except (NotFound, Refused):
        nobody = _("There is no event API at this address. It usually ends in /api/v1.")
        if connection.service == Service.SUPPLIER:
            nobody = _("There is no supplier's API at this address. It usually ends in /api/vendor/v1.")
        _set(connection, Health.UNREACHABLE, nobody)
    except UpstreamError as error:
        note_failure(connection=connection, error=error)
    else:
        _keep(connection, found)
    _checked(connection)


def _keep(connection: Connection, found: probe.Findings) -> None:
    known = set(connection.known_events)
    others = bool(known) and not known & set(found.events) and found.scopes.get("events:read") == probe.GRANTED
    _set(connection, Health.WORKING, "")
    _set_scopes(connection, found.scopes)
    changed: dict[str, object] = {"sees_other_events": others}
    if not others:
        changed["known_by"] = connection.key_fingerprint
        changed["known_events"] = list(found.events) or connection.known_events
    _update(connection, **changed)


def _checked(connection: Connection, message: str = "") -> None:
    _update(connection, checked_at=timezone.now(), **({"health_message": message} if message else {}))


def _set(connection: Connection, health: Health, message: str) -> None:
    if (connection.health, connection.health_message) == (health, message):
        return
    before = connection.health
    since = {} if before == health else {"health_since": timezone.now()}
    with transaction.atomic():
        if not _update(connection, health=health, health_message=message, **since):
            return
        if before != health and before != Health.CHECKING:
            audit.record(
                f"connection.{health}",
                target=connection,
                organization=connection.organization,
                by=None,
                before={"health": before},
                after={"health": health, "message": message},
            )


def _set_scopes(connection: Connection, found: dict[str, str]) -> None:
    """An answer that left a scope unknown does not take back what an earlier one told."""
    with transaction.atomic():
        row = Connection.objects.select_for_update().get(pk=connection.pk)
        scopes = row.scopes | {
            scope: outcome for scope, outcome in found.items() if outcome != probe.UNKNOWN or scope not in row.scopes
        }
        if scopes != row.scopes:
            _update(connection, scopes=scopes)
    connection.scopes = scopes


def _update(connection: Connection, **changed: object) -> bool:
    """Only while the key is the one that was tried: news about an old key is no news."""
    rows = Connection.objects.filter(pk=connection.pk, key_fingerprint=connection.key_fingerprint)
    if not rows.update(**changed):
        return False
    for name, value in changed.items():
        setattr(connection, name, value)
    return True
