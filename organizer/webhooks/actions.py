"""Writes about suppliers and their deliveries."""

import ipaddress
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Organization, User
from organizer.connections import vault
from organizer.kit import quick
from organizer.webhooks import rules
from organizer.webhooks.models import Auth, Delivery, Purpose, Rejection, Tally, Vendor, VendorSecret

REUSED_ID = "id_reused_with_other_body"
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
    vendor = Vendor(organization=organization, key=key, name=name or key, auth=auth, orders_url=orders_url, **more)
    vendor.signature_header, vendor.allowed = signature_header, [one.strip() for one in allowed if one.strip()]
    _check(vendor)
    if auth == Auth.HMAC and not secret:
        raise CouldNotSave(_("A supplier that signs needs a secret."), "secret")
    with transaction.atomic():
        if Vendor.objects.filter(key=key).exists():
            raise CouldNotSave(_("This key is taken."), "key")
        vendor.save()
        for purpose, one in ((Purpose.SIGNING, secret), (Purpose.ORDERS, orders_key)):
            if one:
                _keep_secret(vendor, purpose, one)
        audit.record("vendor.add", target=vendor, organization=organization, by=by, after=_shown(vendor))
    return vendor


def change_vendor(*, vendor: Vendor, by: User | None, **changes: Any) -> Vendor:
    """Raises `CouldNotSave`."""
    with transaction.atomic():
        vendor = Vendor.objects.select_for_update(of=("self",)).select_related("organization").get(pk=vendor.pk)
        before = _shown(vendor)
        for name, value in changes.items():
            setattr(vendor, name, value)
        _check(vendor)
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


def replace_orders_key(*, vendor: Vendor, key: str, by: User | None) -> None:
    with transaction.atomic():
        Vendor.objects.select_for_update().get(pk=vendor.pk)
        vendor.secrets.filter(purpose=Purpose.ORDERS).delete()
        fresh = _keep_secret(vendor, Purpose.ORDERS, key)
        after = {"last4": fresh.last4}
        audit.record("vendor.replace_orders_key", target=vendor, organization=vendor.organization, by=by, after=after)


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


def count_repetitions(*, vendor_id: UUID, dedupe_key: bytes, number: int, body_hashes: Iterable[bytes]) -> None:
    rows = Delivery.objects.filter(vendor_id=vendor_id, dedupe_key=dedupe_key)
    rows.update(duplicates=F("duplicates") + number, last_duplicate_at=timezone.now())
    first = rows.only("body_hash", "flags").first()
    if first and REUSED_ID not in first.flags and any(one != bytes(first.body_hash) for one in body_hashes):
        rows.update(flags=[*first.flags, REUSED_ID], odd=True)


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
