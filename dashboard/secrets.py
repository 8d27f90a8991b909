"""The installation's own secrets: made at first start, readable by their owner only.

The environment wins over the file, so that a scaled installation keeps them wherever it keeps its secrets.
"""

import base64
import fcntl
import os
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

FILE_NAME = "secrets.toml"


@dataclass(frozen=True)
class InstallationSecrets:
    secret_key: str
    key_ring: Mapping[str, bytes]
    """Key id to 32 bytes; the first encrypts, all of them decrypt."""


class RingFile(Mapping[str, bytes]):
    """The ring in `secrets.toml`, read again when it changes: running processes learn of a new key by themselves."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_at = 0
        self._ring: dict[str, bytes] = {}

    def __getitem__(self, key_id: str) -> bytes:
        return self._now()[key_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __repr__(self) -> str:
        return f"<ring of {len(self)} keys>"

    def grow(self) -> None:
        """Puts a new key in front; the file is whole at every moment."""
        with self._path.with_name(f".{self._path.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stored = tomllib.loads(self._path.read_text())
            stored["key_ring"] = f"{new_ring_key()},{stored['key_ring']}"
            draft = self._path.with_name(f".{self._path.name}.{os.getpid()}")
            draft.touch(mode=0o600)
            draft.write_text(_written(stored["secret_key"], stored["key_ring"]))
            draft.replace(self._path)

    def join(self, other: Path) -> None:
        """Adds to another such file the keys of this one that it does not have; its own stay in front."""
        theirs = tomllib.loads(other.read_text())
        ours = tomllib.loads(self._path.read_text())
        keys = dict.fromkeys([*theirs["key_ring"].split(","), *ours["key_ring"].split(",")])
        other.write_text(_written(theirs["secret_key"], ",".join(keys)))

    def _now(self) -> dict[str, bytes]:
        changed_at = self._path.stat().st_mtime_ns
        if changed_at != self._read_at:
            self._ring = parse_ring(tomllib.loads(self._path.read_text())["key_ring"])
            self._read_at = changed_at
        return self._ring


def load(data: Path) -> InstallationSecrets:
    """Reads `secrets.toml` in `data`, making it when neither it nor the environment has the secrets."""
    secret_key, ring = os.environ.get("FOYER_SECRET_KEY"), os.environ.get("FOYER_KEY_RING")
    if not (secret_key and ring):
        stored = _read_or_make(data / FILE_NAME)
        secret_key = secret_key or stored["secret_key"]
    return InstallationSecrets(secret_key, parse_ring(ring) if ring else RingFile(data / FILE_NAME))


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


def _written(secret_key: str, ring: str) -> str:
    return f'secret_key = "{secret_key}"\nkey_ring = "{ring}"\n'


def _read_or_make(path: Path) -> dict[str, str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = _written(secrets.token_urlsafe(50), new_ring_key())
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
