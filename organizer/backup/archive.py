"""The file of a backup: a manifest that says what is inside and what is not, then each part, in one tar."""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

FORMAT = 1
MANIFEST = "manifest.json"
LONGEST_MANIFEST = 10_000_000
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
DASHBOARD, SERVERS = "dashboard", "servers"
FILES = {
    SQLITE: {DASHBOARD: "foyer.sqlite3", SERVERS: "servers.sqlite3"},
    POSTGRESQL: {DASHBOARD: "foyer.dump", SERVERS: "servers.dump"},
}
SECRETS = "secrets.toml"
OTHER_SECRETS = ("servers-secret", "demo-password")
_KNOWN = {SECRETS, *OTHER_SECRETS, *(name for names in FILES.values() for name in names.values())}
_CHUNK = 1 << 20


class Unusable(Exception):
    """The message says why this file cannot be restored, and what to do."""


@dataclass(frozen=True)
class Part:
    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    foyer: str
    made_at: str
    database: str
    parts: Sequence[Part]
    migrations: Mapping[str, Sequence[str]]
    """Of the dashboard and of the servers: `events.0003_calendar_feed`."""
    lacks: Sequence[str] = field(default_factory=list)
    """In words, what who restores it will have to bring along."""
    format: int = FORMAT

    def has(self, name: str) -> bool:
        return any(part.name == name for part in self.parts)


def part(file: Path) -> Part:
    with file.open("rb") as content:
        return Part(file.name, file.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())


def write(to: Path, manifest: Manifest, folder: Path) -> None:
    """Appears whole under its name, readable by its owner only, or not at all."""
    draft = to.with_name(f".{to.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=3) as tar:
                said = json.dumps(asdict(manifest), indent=2).encode()
                _add(tar, MANIFEST, io.BytesIO(said), len(said))
                for one in manifest.parts:
                    with (folder / one.name).open("rb") as content:
                        _add(tar, one.name, content, one.size)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(to)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def reading(file: Path) -> Iterator[tuple[Manifest, tarfile.TarFile]]:
    """Raises `Unusable` where it is no backup of ours, or one that is cut off."""
    try:
        with tarfile.open(file, mode="r|gz") as tar:
            yield _manifest(tar), tar
    except (tarfile.TarError, EOFError, json.JSONDecodeError) as problem:
        raise Unusable(f"{file} is not a backup of Foyer, or not all of it: {problem}") from None


def unpack(manifest: Manifest, tar: tarfile.TarFile, to: Path) -> None:
    """Only what the manifest names, and each exactly as it says."""
    wanted = {part.name: part for part in manifest.parts}
    while member := tar.next():  # and not by iterating, which begins with the manifest again
        asked, content = wanted.pop(member.name, None), tar.extractfile(member) if member.isfile() else None
        if asked is None or content is None:
            raise Unusable(f"There is something in it that its manifest does not name: {member.name!r}.")
        digest = hashlib.sha256()
        with os.fdopen(os.open(to / asked.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            while chunk := content.read(_CHUNK):
                digest.update(chunk)
                file.write(chunk)
        if digest.hexdigest() != asked.sha256:
            raise Unusable(f"{asked.name} in it is damaged: it is not what its manifest says. Take another backup.")
    if wanted:
        raise Unusable(f"It ends before {', '.join(wanted)}: take another backup.")


def _manifest(tar: tarfile.TarFile) -> Manifest:
    member = tar.next()
    content = tar.extractfile(member) if member and member.name == MANIFEST else None
    if content is None:
        raise Unusable("This is not a backup of Foyer: it does not begin with a manifest.")
    said: dict[str, Any] = json.loads(content.read(LONGEST_MANIFEST))
    if said.get("format") != FORMAT:
        raise Unusable(f"This backup was made by a newer Foyer ({said.get('foyer')}). Update Foyer first.")
    try:
        parts = [Part(**one) for one in said.pop("parts")]
        manifest = Manifest(**said, parts=parts)
    except (KeyError, TypeError):
        raise Unusable("This backup's manifest cannot be understood.") from None
    if unknown := {one.name for one in parts} - _KNOWN:
        raise Unusable(f"There is something in it that Foyer does not know: {', '.join(sorted(unknown))}.")
    return manifest


def _add(tar: tarfile.TarFile, name: str, content: Any, size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    tar.addfile(member, content)
