"""The installation's own secrets: made at first start, readable by their owner only.

The environment wins over the file, so that a scaled installation keeps them wherever it keeps its secrets.
"""

import base64
import os
import secrets
import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE_NAME = "secrets.toml"


@dataclass(frozen=True)
class InstallationSecrets:
    secret_key: str
    key_ring: dict[str, bytes]
    """Key id to 32 bytes; the first encrypts, all of them decrypt."""


def load(data: Path) -> InstallationSecrets:
    """Reads `secrets.toml` in `data`, making it when neither it nor the environment has the secrets."""
    secret_key, ring = os.environ.get("FOYER_SECRET_KEY"), os.environ.get("FOYER_KEY_RING")
    if not (secret_key and ring):
        stored = _read_or_make(data / FILE_NAME)
        secret_key, ring = secret_key or stored["secret_key"], ring or stored["key_ring"]
    return InstallationSecrets(secret_key, parse_ring(ring))


def parse_ring(text: str) -> dict[str, bytes]:
    """`id:base64,id:base64`, newest first. Raises ValueError on a key that is not 32 bytes."""
    ring = {}
    for part in text.split(","):
        key_id, _, encoded = part.strip().partition(":")
        key = base64.b64decode(encoded, validate=True)
        if not key_id or len(key) != 32:
            raise ValueError("A key ring is id:base64 pairs joined by commas; each key has 32 bytes.")
        ring[key_id] = key
    return ring


def new_ring_key() -> str:
    return f"{secrets.token_hex(4)}:{base64.b64encode(secrets.token_bytes(32)).decode()}"


def _read_or_make(path: Path) -> dict[str, str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = f'secret_key = "{secrets.token_urlsafe(50)}"\nkey_ring = "{new_ring_key()}"\n'
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(made)
        try:
            os.link(draft, path)  # fails where another process was first: theirs is then read
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return tomllib.loads(path.read_text())
