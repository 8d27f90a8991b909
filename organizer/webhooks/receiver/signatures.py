"""HMAC-SHA256 over the bytes that were sent, as a hex digest in a header."""

import hmac
import re
from collections.abc import Sequence
from hashlib import sha256

_DIGEST = re.compile(r"[0-9a-f]{64}")
_PREFIX = "sha256="


def digest_in(header: str) -> bytes | None:
    """The digest that a header's value holds, in whatever case and with the prefix or without it."""
    value = header.strip().lower()
    value = value.removeprefix(_PREFIX)
    return bytes.fromhex(value) if _DIGEST.fullmatch(value) else None


def sign(body: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), body, sha256).hexdigest()


def matching(body: bytes, header: str, secrets: Sequence[str]) -> int | None:
    """Which of the secrets made the signature. All of them are tried, so that time tells nothing."""
    digest = digest_in(header)
    if digest is None:
        return None
    found = None
    for number, secret in reversed(list(enumerate(secrets))):
        if hmac.compare_digest(hmac.digest(secret.encode(), body, "sha256"), digest):
            found = number
    return found
