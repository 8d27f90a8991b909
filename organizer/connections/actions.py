"""Writes about connections: added, replaced, removed; each audited in its own transaction."""

import logging
from collections.abc import Sequence
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.connections import rules, vault
from organizer.connections.health import check, note_failure, note_success, remember_events
from organizer.connections.models import Connection, Health, Service
from organizer.kit.ids import new_id

__all__ = [
    "CouldNotConnect", "add", "check", "follow_key", "keep_supplier", "kick_check", "note_failure", "note_success",
    "remember_events", "remember_quirks", "remove", "replace_key", "reseal", "start_anew", "try_again",
]  # fmt: skip

log = logging.getLogger(__name__)


class CouldNotConnect(Exception):
    """`field` is the form's field that `message` belongs to."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


def add(*, organization: Organization, service: str, url: str, key: str, by: User | None) -> Connection:
    """Another address is another connection with its own mirror; an address that was here before has its old one."""
    url, key = _address(url), _key(key)
    if service not in Service.values or service == Service.SUPPLIER:
        raise CouldNotConnect(_("There is no such service."), "service")
    with transaction.atomic():
        # the organization's row is the lock: two people adding at once do it one after the other
        Organization.objects.select_for_update().get(pk=organization.pk)
        known = Connection.objects.filter(organization=organization, service=service)
        connection = known.filter(url=url).order_by("-live", "-created_at").first()
        for other in known.filter(live=True).exclude(url=url):
            _put_aside(other, by)
        verb = "connection.replaced_key" if connection and connection.live else "connection.added"
        connection = connection or Connection(
            pk=new_id(), organization=organization, service=service, url=url, live=False
        )
        _take_key(connection, key, verb=verb, by=by)
    return connection


def keep_supplier(
    *, organization: Organization, url: str, key: str, by: User | None, connection: Connection | None = None
) -> Connection:
    """One of each supplier. It stays when its address changes: orders are found by references of our own."""
    url, key = _address(url), _key(key)
    with transaction.atomic():
        if connection is None:
            connection = Connection(pk=new_id(), organization=organization, service=Service.SUPPLIER, live=False)
        else:
            connection = _locked(connection)
        verb = "connection.replaced_key" if connection.live and connection.url == url else "connection.added"
        before = _shown(connection) if connection.key_prefix else {}
        connection.url = url
        _take_key(connection, key, verb=verb, by=by, before=before)
    return connection


def replace_key(*, connection: Connection, key: str, by: User | None) -> Connection:
    """The mirror stays: it is the same address."""
    key = _key(key)
    with transaction.atomic():
        connection = _locked(connection)
        if not connection.live:
            raise CouldNotConnect(_("This connection was removed meanwhile. Add it again."))
        _take_key(connection, key, verb="connection.replaced_key", by=by)
    return connection


def remove(*, connection: Connection, by: User | None) -> None:
    """The key is destroyed; what was mirrored stays until another connection takes its place."""
    with transaction.atomic():
        _put_aside(_locked(connection), by)


def remember_quirks(*, connection: Connection, quirks: dict[str, Any]) -> Connection:
    """What this provider refuses, so that it is not asked for again."""
    with transaction.atomic():
        connection = _locked(connection)
        connection.quirks = connection.quirks | quirks
        connection.save(update_fields=["quirks"])
    return connection


def try_again(*, connection: Connection) -> None:
    """A person asks; the answer is on the page when the worker has it."""
    Connection.objects.filter(pk=connection.pk).update(health=Health.CHECKING, health_message="", checked_at=None)
    kick_check(connection)


def follow_key(*, connection: Connection, by: User | None) -> None:
    """The new key's events are what is wanted: the mirror goes over to them."""
    with transaction.atomic():
        connection = _locked(connection)
        connection.sees_other_events, connection.known_events = False, []
        connection.save(update_fields=["sees_other_events", "known_events"])
        audit.record("connection.followed_key", target=connection, organization=connection.organization, by=by)
        kick_check(connection)


def start_anew(*, connection: Connection, by: User | None) -> Connection:
    """The new key's events get a mirror of their own; the old one is put aside."""
    with transaction.atomic():
        connection = _locked(connection)
        key = vault.opened(connection)
        connection.live, connection.ciphertext, connection.sees_other_events = False, b"", False
        connection.save(update_fields=["live", "ciphertext", "sees_other_events"])
        fresh = Connection(
            pk=new_id(), organization=connection.organization, service=connection.service, url=connection.url
        )
        _take_key(fresh, key, verb="connection.started_anew", by=by)
    return fresh


def reseal(*, limit: int) -> int:
    """Seals again what an older key of the ring sealed; returns how many are left. Safe to break off and repeat."""
    old: Sequence[Any] = vault.sealed_with_old_key()
    done = 0
    for row in old[:limit]:
        # a secret that was replaced meanwhile is sealed with the newest already
        kept = type(row).objects.filter(pk=row.pk, ciphertext=row.ciphertext)
        done += kept.update(ciphertext=vault.sealed_of(row, vault.opened(row)))
    return len(old) - done


def kick_check(connection: Connection) -> None:
    """The worker tries it after the commit; where no broker answers, the beat's turn comes."""
    connection_id = str(connection.pk)

    def send() -> None:
        try:
            current_app.send_task("organizer.connections.tasks.check", kwargs={"connection_id": connection_id})
        except Exception:
            log.warning("a check could not be queued", exc_info=True)

    transaction.on_commit(send)


def _put_aside(connection: Connection, by: User | None) -> None:
    """No key is kept that nothing is sent with any more."""
    connection.live, connection.ciphertext = False, b""
    connection.save(update_fields=["live", "ciphertext"])
    before = _shown(connection)
    audit.record("connection.removed", target=connection, organization=connection.organization, by=by, before=before)


def _take_key(
    connection: Connection, key: str, *, verb: str, by: User | None, before: dict[str, Any] | None = None
) -> None:
    if before is None:
        before = _shown(connection) if connection.key_prefix else {}
    connection.live = True
    connection.ciphertext = vault.sealed_of(connection, key)
    connection.key_prefix, connection.key_last4 = rules.shown_parts(key)
    connection.key_fingerprint = fingerprint(connection.url, key)
    connection.health, connection.health_message = Health.CHECKING, ""
    connection.health_since, connection.checked_at = timezone.now(), None
    connection.scopes, connection.sees_other_events = {}, False
    connection.save()
    after = _shown(connection)
    audit.record(verb, target=connection, organization=connection.organization, by=by, before=before, after=after)
    kick_check(connection)


def _take_health(connection: Connection, health: Health, message: str) -> None:
    if connection.health != health:
        connection.health, connection.health_since = health, timezone.now()
    connection.health_message = message
    connection.save(update_fields=["health", "health_since", "health_message"])


def fingerprint(url: str, key: str) -> str:
    """Keyed, so that a stolen database does not help in guessing a weak key."""
    return salted_hmac("organizer.connections", f"{url}\n{key}", algorithm="sha256").hexdigest()


def _locked(connection: Connection) -> Connection:
    return Connection.objects.select_for_update().get(pk=connection.pk)


def _shown(connection: Connection) -> dict[str, Any]:
    return {
        "service": connection.service,
        "url": connection.url,
        "key": f"{connection.key_prefix}…{connection.key_last4}",
    }


def _address(text: str) -> str:
    try:
        url = rules.address(text)
    except ValueError as problem:
        raise CouldNotConnect(str(problem), "url") from None
    if len(url) > 500:
        raise CouldNotConnect(_("This address is too long."), "url")
    if not settings.FOYER_ALLOW_PRIVATE_ADDRESSES and rules.is_private_by_sight(url):
        raise CouldNotConnect(_("This installation only connects to public addresses that begin with https://."), "url")
    return url


def _key(text: str) -> str:
    key = text.strip()
    if not rules.is_key(key):
        raise CouldNotConnect(_("This is not an API key. Copy the whole key as it was shown when it was made."), "key")
    return key
