"""Secrets at rest: AES-256-GCM with a ring of keys. The first encrypts, all of them decrypt.

Organization, row and purpose are bound in as associated data: a ciphertext that was moved elsewhere does not open.
"""

import os
from collections.abc import Mapping
from typing import Any, Protocol
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.apps import apps
from django.conf import settings

NONCE = 12
_FORMAT = b"\x01"

Ring = Mapping[str, bytes]


class Sealed(Protocol):
    """A row that holds a secret. Its id stands before it is sealed."""

    pk: Any
    organization_id: Any
    ciphertext: Any

    @property
    def sealed_for(self) -> str: ...


class CouldNotOpen(Exception):
    """The ciphertext is of another row, was changed, or its key is not in the ring."""


def seal(secret: str, *, organization_id: UUID, row_id: UUID, purpose: str, ring: Ring | None = None) -> bytes:
    ring = ring or settings.FOYER_KEY_RING
    key_id, key = next(iter(ring.items()))
    nonce = os.urandom(NONCE)
    name = key_id.encode()
    sealed = AESGCM(key).encrypt(nonce, secret.encode(), _bound_to(organization_id, row_id, purpose))
    return _FORMAT + bytes([len(name)]) + name + nonce + sealed


def open_sealed(
    ciphertext: bytes, *, organization_id: UUID, row_id: UUID, purpose: str, ring: Ring | None = None
) -> str:
    key = (ring or settings.FOYER_KEY_RING).get(key_id(ciphertext))
    if key is None:
        raise CouldNotOpen("The key ring does not hold the key that this was encrypted with.")
    start = 2 + ciphertext[1]
    nonce, sealed = ciphertext[start : start + NONCE], ciphertext[start + NONCE :]
    try:
        return AESGCM(key).decrypt(nonce, sealed, _bound_to(organization_id, row_id, purpose)).decode()
    except (InvalidTag, ValueError):
        raise CouldNotOpen("This does not open with the key that it names.") from None


def opened(row: Sealed) -> str:
    """In clear: for the client that sends it, the check that needs it, and nobody else."""
    return open_sealed(
        bytes(row.ciphertext), organization_id=row.organization_id, row_id=row.pk, purpose=row.sealed_for
    )


def sealed_of(row: Sealed, secret: str) -> bytes:
    """The `ciphertext` that `opened` opens again."""
    return seal(secret, organization_id=row.organization_id, row_id=row.pk, purpose=row.sealed_for)


def sealed_with_old_key() -> list[Sealed]:
    """Of every model that seals something."""
    newest = next(iter(settings.FOYER_KEY_RING))
    models: list[Any] = [model for model in apps.get_models() if hasattr(model, "sealed_for")]
    rows = (row for model in models for row in model.objects.exclude(ciphertext=b"").order_by("pk"))
    return [row for row in rows if key_id(bytes(row.ciphertext)) != newest]


def key_id(ciphertext: bytes) -> str:
    """The name of the ring's key that sealed it, readable without opening."""
    if len(ciphertext) < 2 or ciphertext[:1] != _FORMAT:
        raise CouldNotOpen("There is nothing sealed here.")
    return ciphertext[2 : 2 + ciphertext[1]].decode(errors="replace")


def _bound_to(organization_id: UUID, row_id: UUID, purpose: str) -> bytes:
    return f"{organization_id}:{row_id}:{purpose}".encode()
