"""A backup, while everything runs."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from organizer.backup import archive, sqlite
from organizer.backup.archive import OTHER_SECRETS, SECRETS, Manifest
from organizer.backup.places import MADE, Place, places, ring_file
from organizer.kit import version

WITHOUT_RING = (
    "It lacks the key ring ({where}): the API keys in it cannot be decrypted without it, and must be entered again."
)

WITHOUT_TICKETS = "It lacks the files of suppliers' tickets ({where}): they are fetched again when somebody wants them."


class CouldNotMake(Exception):
    """The message says why, and what to do."""


def make(to: Path, *, with_keys: bool = True) -> Manifest:
    """Beside `to` there must be room for the databases once more; what is there under its name stays until the end."""
    if not to.parent.is_dir():
        raise CouldNotMake(f"There is no folder {to.parent}.")
    with _folder(to.parent) as folder:
        found = places()
        migrations = {place.side: _copy(place, folder) for place in found}
        if with_keys:  # after the databases: a ring only grows, so that it opens all that is in them
            _copy_secrets(folder)
        manifest = Manifest(
            foyer=version.foyer(),
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            database=found[0].kind,
            parts=[archive.part(file) for file in sorted(folder.iterdir())],
            migrations=migrations,
            lacks=_lacks(with_keys),
        )
        archive.write(to, manifest, folder)
    _note(manifest)
    return manifest


def _copy(place: Place, folder: Path) -> Sequence[str]:
    to = folder / place.part
    if place.server:
        place.server.dump(to)
        return place.server.migrations()
    if not place.file.exists():
        raise CouldNotMake(f"There is no database at {place.file}. Is FOYER_DATA right?")
    sqlite.copy(place.file, to)
    return sqlite.migrations(to)


def _copy_secrets(folder: Path) -> None:
    names = [*([SECRETS] if ring_file() else []), *OTHER_SECRETS]
    for name in names:
        if (settings.DATA / name).exists():
            shutil.copy(settings.DATA / name, folder / name)


def _lacks(with_keys: bool) -> list[str]:
    return _lacks_keys(with_keys) + _lacks_tickets()


def _lacks_tickets() -> list[str]:
    stores: dict[str, Any] = settings.STORAGES
    folder = Path(stores["tickets"].get("OPTIONS", {}).get("location", ""))
    has_any = folder.is_dir() and any(folder.iterdir())
    return [WITHOUT_TICKETS.format(where=folder.name)] if has_any else []


def _lacks_keys(with_keys: bool) -> list[str]:
    if not ring_file():
        return [WITHOUT_RING.format(where="FOYER_KEY_RING and FOYER_SECRET_KEY, which are in the environment")]
    return [] if with_keys else [WITHOUT_RING.format(where=SECRETS)]


@contextmanager
def _folder(beside: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=beside, prefix=".backup-") as folder:
        yield Path(folder)


def _note(manifest: Manifest) -> None:
    said = {"made_at": manifest.made_at, "with_keys": manifest.has(SECRETS)}
    with suppress(OSError):  # the backup is made; that it was can be said another time
        (settings.DATA / MADE).write_text(json.dumps(said))
