"""Writes about suppliers and their deliveries."""

import ipaddress
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import batched, chain
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.connections import actions as connections
from organizer.connections import vault
from organizer.connections.models import Connection
from organizer.kit import quick
from organizer.webhooks import rules
from organizer.webhooks.models import (
    Auth,
    Delivery,
    Purpose,
    Rejection,
    Tally,
    Vendor,
    VendorSecret,
)

REUSED_ID = "id_reused_with_other_body"
Repeated = tuple[UUID, bytes]
"""A vendor's id and the key of one of its deliveries."""
_REPEATED = {"postgresql": "(%s::uuid, %s::bytea, %s::int)", "sqlite": "(%s, %s, %s)"}
_ADD_UP = f"""WITH repeated(of, key, times) AS (VALUES {{places}})
  UPDATE {Delivery._meta.db_table} AS d SET duplicates = duplicates + repeated.times, last_duplicate_at = %s
  FROM repeated WHERE d.vendor_id = repeated.of AND d.dedupe_key = repeated.key
  RETURNING id, vendor_id, dedupe_key, delivery_id, body_hash, flags"""  # noqa: S608 names of our own
SAMPLES_AN_HOUR = 100
USE_NOTED_EVERY = timedelta(minutes=1)


class CouldNotSave(Exception):
    """`field` is the form's field that `message` belongs to."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.message, self.field = message, field


def add_vendor(
    *,
    organization: Organization,
    key: str,
    name: str,
    auth: str,
    by: User | None,
    secret: str = "",
    signature_header: str = rules.SIGNATURE_HEADER,
    allowed: Iterable[str] = (),
    orders_url: str = "",
    orders_key: str = "",
    **more: Any,
) -> Vendor:
    """It may deliver from the moment this returns. `more` are other fields of its. Raises `CouldNotSave`."""
    vendor = Vendor(organization=organization, key=key, name=name or key, auth=auth, **more)
    vendor.signature_header, vendor.allowed = signature_header, [one.strip() for one in allowed if one.strip()]
    _check(vendor)
    if auth == Auth.HMAC and not secret:
        raise CouldNotSave(_("A supplier that signs needs a secret."), "secret")
    with transaction.atomic():
        if Vendor.objects.filter(key=key).exists():
            raise CouldNotSave(_("This key is taken."), "key")
        if orders_url or orders_key:
            vendor.connection = _connected(vendor, orders_url, orders_key, by)
        vendor.save()
        if secret:
            _keep_secret(vendor, Purpose.SIGNING, secret)
        audit.record("vendor.add", target=vendor, organization=organization, by=by, after=_shown(vendor))
    return vendor


def change_vendor(
    *, vendor: Vendor, by: User | None, orders_url: str | None = None, orders_key: str = "", **changes: Any
) -> Vendor:
    """Raises `CouldNotSave`."""
    with transaction.atomic():
        vendor = _locked(vendor)
        before = _shown(vendor)
        for name, value in changes.items():
            setattr(vendor, name, value)
        _check(vendor)
        if orders_url is not None and (orders_url.rstrip("/") != vendor.orders_url or orders_key):
            _change_orders(vendor, orders_url, orders_key, by)
            changes["connection"] = vendor.connection
        vendor.save(update_fields=list(changes))
        after = _shown(vendor)
        told = {name for name in after if after[name] != before[name]}
        if told:
            audit.record(
                "vendor.change", target=vendor, organization=vendor.organization, by=by,
                before={name: before[name] for name in told}, after={name: after[name] for name in told},
            )  # fmt: skip
    return vendor


def rotate_secret(*, vendor: Vendor, secret: str, by: User | None, overlap: timedelta) -> VendorSecret:
    """From now on the new secret counts, and the old one beside it until `overlap` is over."""
    with transaction.atomic():
        Vendor.objects.select_for_update().get(pk=vendor.pk)
        _end(vendor, Purpose.SIGNING, timezone.now() + overlap)
        fresh = _keep_secret(vendor, Purpose.SIGNING, secret)
        after = {"number": fresh.number, "old_counts_for_hours": overlap / timedelta(hours=1)}
        audit.record("vendor.rotate", target=vendor, organization=vendor.organization, by=by, after=after)
    return fresh


def end_old_secrets(*, vendor: Vendor, by: User | None) -> None:
    """Before their time."""
    now = timezone.now()
    with transaction.atomic():
        if vendor.secrets.filter(purpose=Purpose.SIGNING, ends_at__gt=now).update(ends_at=now):
            audit.record("vendor.end_old_secret", target=vendor, organization=vendor.organization, by=by)


def connect_orders(*, vendor: Vendor, url: str, key: str, by: User | None) -> Vendor:
    """Where this supplier's orders are placed and read from now on. Raises `CouldNotSave`."""
    with transaction.atomic():
        vendor = _locked(vendor)
        vendor.connection = _connected(vendor, url, key, by)
        vendor.save(update_fields=["connection"])
    return vendor


def _locked(vendor: Vendor) -> Vendor:
    rows = Vendor.objects.select_for_update(of=("self",)).select_related("organization", "connection")
    return rows.get(pk=vendor.pk)


def _change_orders(vendor: Vendor, url: str, key: str, by: User | None) -> None:
    """Without an address it only delivers; what was ordered stays. A key is not carried to another address."""
    if url:
        if not key:
            raise CouldNotSave(_("Type its key as well: the old one is not sent to another address."), "orders_key")
        vendor.connection = _connected(vendor, url, key, by)
    elif key:
        raise CouldNotSave(_("Where is this key for? Type the address."), "orders_url")
    elif vendor.connection:
        connections.remove(connection=vendor.connection, by=by)
        vendor.connection.live = False


def _connected(vendor: Vendor, url: str, key: str, by: User | None) -> Connection:
    known = vendor.connection
    try:
        return connections.keep_supplier(organization=vendor.organization, url=url, key=key, by=by, connection=known)
    except connections.CouldNotConnect as problem:
        raise CouldNotSave(problem.message, f"orders_{problem.field or 'url'}") from None


def keep_rejection(*, vendor: Vendor, elsewhere: tuple[str, bool] | None, **of: Any) -> None:
    """As long as there are not too many of this vendor's in an hour."""
    now = timezone.now()
    found_in, would_match = elsewhere or ("", False)
    row = quick.new(
        Rejection, organization_id=vendor.organization_id, vendor_id=vendor.pk, at=now,
        **of | {"source": str(of["source"]) if of["source"] else None},
        signature_header=vendor.signature_header if vendor.auth == Auth.HMAC else "",
        found_in=found_in, would_match=would_match,
    )  # fmt: skip
    recent = Rejection.objects.filter(vendor_id=vendor.pk, at__gt=now - timedelta(hours=1))
    if recent[SAMPLES_AN_HOUR - 1 : SAMPLES_AN_HOUR].exists():
        return
    row.save()


def count_refusals(refusals: Mapping[tuple[str, datetime, str], int]) -> None:
    """`refusals` by vendor, minute and reason."""
    with transaction.atomic():
        for (of, minute, reason), number in sorted(refusals.items()):
            tally, fresh = Tally.objects.get_or_create(of=of, minute=minute, reason=reason, defaults={"number": number})
            if not fresh:
                Tally.objects.filter(pk=tally.pk).update(number=F("number") + number)


def count_repetitions(repetitions: Mapping[Repeated, int], bodies: Mapping[Repeated, set[bytes]]) -> None:
    """`repetitions` by vendor and key; `bodies` has the hashes of what came under each."""
    rows = [(*_known(one), number) for one, number in repetitions.items()]
    seen = {_known(one): hashes for one, hashes in bodies.items()}
    for part in batched(sorted(rows), 500):  # in one order, so that no two processes wait for one another
        for pk, vendor_id, key, delivery_id, first, flags in _add_up(part):
            if not delivery_id or not seen.get((vendor_id, bytes(key)), set()) - {bytes(first)}:
                continue
            told = json.loads(flags) if isinstance(flags, str) else flags
            if REUSED_ID not in told:
                Delivery.objects.filter(pk=pk).update(flags=[*told, REUSED_ID], odd=True)


def _known(repeated: Repeated) -> tuple[Any, bytes]:
    """As the database has it."""
    return quick.value(Delivery, "vendor", repeated[0]), repeated[1]


def _add_up(rows: Sequence[tuple[Any, bytes, int]]) -> list[tuple[Any, ...]]:
    places = ", ".join([_REPEATED[connection.vendor]] * len(rows))
    at = quick.value(Delivery, "last_duplicate_at", timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(_ADD_UP.format(places=places), [*chain.from_iterable(rows), at])
        return cursor.fetchall()


def is_use_worth_noting(secret: VendorSecret, now: datetime) -> bool:
    return secret.used_at is None or now - secret.used_at > USE_NOTED_EVERY


def note_use(*, secret_id: UUID, at: datetime) -> None:
    VendorSecret.objects.filter(pk=secret_id).update(used_at=at)


def _keep_secret(vendor: Vendor, purpose: str, secret: str) -> VendorSecret:
    last = vendor.secrets.filter(purpose=purpose).order_by("-number").first()
    row = VendorSecret(organization_id=vendor.organization_id, vendor=vendor, purpose=purpose)
    row.number = last.number + 1 if last else 1
    row.last4, row.ciphertext = secret[-4:], vault.sealed_of(row, secret)
    row.save()
    return row


def _end(vendor: Vendor, purpose: str, at: datetime) -> None:
    """One that was ending anyway keeps its earlier time."""
    now = timezone.now()
    vendor.secrets.filter(purpose=purpose, ends_at=None).update(ends_at=at)
    vendor.secrets.filter(purpose=purpose, ends_at__lte=now).delete()


def _check(vendor: Vendor) -> None:
    if not rules.KEY.fullmatch(vendor.key):
        raise CouldNotSave(_("A key has 2 to 60 small letters, digits and hyphens."), "key")
    if vendor.auth not in Auth.values:
        raise CouldNotSave(_("Choose signature or address."), "auth")
    if not rules.is_header_name(vendor.signature_header):
        raise CouldNotSave(_("A signature cannot come in a header of this name."), "signature_header")
    for one in vendor.id_headers:
        if not rules.is_header_name(one) or one.lower() == vendor.signature_header.lower():
            raise CouldNotSave(_("An id cannot come in a header of the name %s.") % one, "id_headers")
    if vendor.rate <= 0 or vendor.burst < 1:
        raise CouldNotSave(_("It must be allowed to deliver at all."), "rate")
    if vendor.auth == Auth.IP and not vendor.allowed:
        raise CouldNotSave(_("Without an address nobody could deliver."), "allowed")
    for one in vendor.allowed:
        if problem := _problem_of_network(one):
            raise CouldNotSave(problem, "allowed")


def _problem_of_network(text: str) -> str:
    """In a sentence; empty where there is none."""
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        with suppress(ValueError):
            meant = ipaddress.ip_network(text, strict=False)
            return _("%(text)s has bits of a host. Did you mean %(meant)s?") % {"text": text, "meant": meant}
        return _("%s is no address and no network.") % text
    return _("%s is everybody.") % text if network.prefixlen == 0 else ""


def _shown(vendor: Vendor) -> dict[str, Any]:
    names = (
        "key", "name", "active", "auth", "signature_header", "allowed", "id_headers", "rate", "burst",
        "same_body_for", "keep_bodies_for", "orders_url",
    )  # fmt: skip
    return {name: getattr(vendor, name) for name in names}
