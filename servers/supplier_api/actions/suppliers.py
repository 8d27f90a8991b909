"""What changes suppliers and their keys."""

import re
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from servers.kit import clock, vault, writes
from servers.organizations.actions import digest
from servers.supplier_api.actions import steps
from servers.supplier_api.models import Supplier, SupplierKey

KEY_PREFIX, SECRET_PREFIX = "sup_live_", "whsec_"
_KEY = re.compile(r"[a-z0-9-]{2,60}")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,60}")
_TAKEN = re.compile(
    r"(host|cookie|authorization|connection|transfer-encoding|expect|upgrade|te|trailer|user-agent|accept.*"
    r"|content-.*|x-forwarded-.*|x-webhook-id|x-delivery-id|x-request-id)",
    re.IGNORECASE,
)


class CouldNotSetUp(ValueError):
    """The message says what is wrong with what was asked."""


@dataclass(frozen=True)
class Credentials:
    """Stored nowhere in clear: show them once."""

    orders_key: str
    secret: str


def set_up(*, key: str, **fields: Any) -> Supplier:
    """The supplier, made if it is new; of a known one what is named is changed. Call it in a transaction."""
    if not _KEY.fullmatch(key):
        raise CouldNotSetUp(f"A supplier's key is 2 to 60 small letters, digits and -; not {key!r}.")
    check(**fields)
    supplier, made = Supplier.objects.get_or_create(key=key, defaults={"name": key.title()} | fields)
    if not made:
        change(supplier=supplier, **fields)
    return supplier


def change(*, supplier: Supplier, **fields: Any) -> None:
    check(**fields)
    began_to_move = fields.get("moves", False) and not supplier.moves
    for name, value in fields.items():
        setattr(supplier, name, value)
    with writes.write():
        supplier.save(update_fields=list(fields)) if fields else None
        if began_to_move:
            steps.put_for_open(supplier)


def issue(*, supplier: Supplier) -> Credentials:
    """A new orders key beside those that there are, and a new signing secret instead of the one that there is."""
    orders_key, secret = KEY_PREFIX + secrets.token_urlsafe(32), SECRET_PREFIX + secrets.token_urlsafe(32)
    with writes.write():
        SupplierKey.objects.create(
            supplier=supplier,
            sha256=digest(orders_key),
            prefix=orders_key[: len(KEY_PREFIX) + 4],
            last4=orders_key[-4:],
        )
        supplier.sealed_secret = vault.seal(secret, bound_to=_bound_to(supplier))
        supplier.save(update_fields=["sealed_secret"])
    return Credentials(orders_key, secret)


def revoke(*, key: SupplierKey) -> None:
    """Holds from the next request on. A second time changes nothing."""
    with writes.turn():
        SupplierKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=clock.now())


def secret_of(supplier: Supplier) -> str:
    """Raises CouldNotOpen."""
    if not supplier.sealed_secret:
        raise vault.CouldNotOpen("It has no signing secret yet: `create_supplier` gives it one.")
    return vault.open_sealed(bytes(supplier.sealed_secret), bound_to=_bound_to(supplier))


def check(**fields: Any) -> None:
    """Raises CouldNotSetUp."""
    if url := fields.get("notify_url"):
        _check_address(url)
    header = fields.get("signature_header")
    if header is not None and (not _TOKEN.fullmatch(header) or _TAKEN.fullmatch(header)):
        raise CouldNotSetUp(f"{header!r} cannot be the name of the signature's header.")
    if not 1 <= len(fields.get("name", "x")) <= 120:
        raise CouldNotSetUp("A supplier's name has 1 to 120 characters.")
    if not 0 <= fields.get("step_seconds", 0) <= 86_400:
        raise CouldNotSetUp("A step takes up to a day: 0 to 86400 seconds.")
    if not 0 <= fields.get("rejects_each", 0) <= 1000:
        raise CouldNotSetUp("Each so-manieth order is rejected: 1 to 1000, or 0 for none.")


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and len(url) <= 500
    except ValueError:
        fine = False
    if not fine or re.search(r"[\s\x00-\x1f\x7f@#]", url):
        raise CouldNotSetUp(f"A notify address begins with http:// or https:// and names a host; not {url!r}.")


def _bound_to(supplier: Supplier) -> str:
    return f"supplier:{supplier.pk}:signing"
