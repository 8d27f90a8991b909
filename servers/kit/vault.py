"""Secrets that we must know again: AES-256-GCM under a key made of the servers' own secret key.

Row and purpose are bound in: a ciphertext that was moved elsewhere does not open.
"""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

NONCE = 12


class CouldNotOpen(Exception):
    """The ciphertext is of another row, was changed, or was made under another SERVERS_SECRET_KEY."""


def seal(secret: str, *, bound_to: str) -> bytes:
    nonce = os.urandom(NONCE)
    return nonce + AESGCM(_key(settings.SECRET_KEY)).encrypt(nonce, secret.encode(), bound_to.encode())


def open_sealed(sealed: bytes, *, bound_to: str) -> str:
    for secret_key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            return AESGCM(_key(secret_key)).decrypt(sealed[:NONCE], sealed[NONCE:], bound_to.encode()).decode()
        except (InvalidTag, ValueError):
            continue
    raise CouldNotOpen("This does not open with the servers' secret key.")


def _key(secret_key: str | bytes) -> bytes:
    known = secret_key.encode() if isinstance(secret_key, str) else secret_key
    return HKDF(SHA256(), length=32, salt=None, info=b"foyer servers vault").derive(known)
