"""A backup put in the place of what is there: all of it, or nothing."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db.migrations.loader import MigrationLoader

from deploy import data
from organizer.backup import archive, sqlite
from organizer.backup.archive import DASHBOARD, SECRETS, SERVERS, Manifest, Unusable
from organizer.backup.places import Place, places, ring_file, sealed_columns
from organizer.connections import vault


class CouldNotRestore(Exception):
    """Nothing was changed. The message says why, and what to do."""


@dataclass(frozen=True)
class Restored:
    manifest: Manifest
    is_older: bool
    """Its tables are those of an older Foyer: they are brought up to date at the next start."""
    locked: int | None
    """How many secrets in it do not open with the keys that are here now; None where nobody looked."""
    replaced: Path | None = None
    left_alone: Sequence[str] = field(default_factory=list)


def restore(file: Path, *, keep: bool = False) -> Restored:
    """Refuses while anybody uses what would be replaced."""
    if not file.is_file():
        raise CouldNotRestore(f"There is no file {file}.")
    try:
        lock = data.take_lock(settings.DATA)
    except data.InUse as problem:
        raise CouldNotRestore(f"{problem} Stop it first.") from None
    with lock:
        data.finish_swap(settings.DATA)
        data.forget_staged(settings.DATA)
        with _staging() as staged:
            return _restore(file, staged, keep)


def _restore(file: Path, staged: Path, keep: bool) -> Restored:
    here = {place.side: place for place in _all_places()}
    with archive.reading(file) as (manifest, tar):
        _refuse_what_does_not_fit(manifest, here)
        archive.unpack(manifest, tar, staged)
    coming = [place for place in here.values() if manifest.has(place.part)]
    for place in coming:
        _let_go(place)
        if not place.server:
            sqlite.check(staged / place.part)
    _join_rings(staged)
    locked = _locked(staged, here[DASHBOARD])
    name = f"{data.REPLACED}{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}"
    dumps = {place.part for place in coming if place.server}
    with ExitStack() as servers:  # each in a transaction: they are committed when the files are in place
        for place in coming:
            if place.server:
                servers.enter_context(place.server.replaced(staged / place.part))
        files = [part.name for part in manifest.parts if part.name not in dumps]
        data.swap(settings.DATA, staged, files, replaced=name, keep=keep)
    return Restored(
        manifest,
        is_older=_is_older(manifest),
        locked=locked,
        replaced=settings.DATA / name if keep else None,
        left_alone=[place.part for place in here.values() if place not in coming and _exists(place)],
    )


def _refuse_what_does_not_fit(manifest: Manifest, here: dict[str, Place]) -> None:
    kind = here[DASHBOARD].kind
    if manifest.database != kind:
        raise Unusable(
            f"This backup is of {manifest.database}, and this installation is on {kind} (DATABASE_URL says which)."
        )
    if not manifest.has(here[DASHBOARD].part):
        raise Unusable("There is no database of the dashboard in it.")
    if newer := _unknown(manifest):
        raise Unusable(
            f"This backup was made by a newer Foyer ({manifest.foyer}): its tables have changes that this one does not"
            f" know ({', '.join(newer[:3])}). Update Foyer first."
        )


def _unknown(manifest: Manifest) -> list[str]:
    """Of the servers only their own apps are looked at: the dashboard does not import them."""
    known = {f"{app}.{name}" for app, name in _ours()}
    newer = [one for one in manifest.migrations.get(DASHBOARD, []) if one not in known]
    for one in manifest.migrations.get(SERVERS, []):
        app, _, name = one.partition(".")
        folder = settings.BASE_DIR / "servers" / app / "migrations"
        if folder.is_dir() and not (folder / f"{name}.py").exists():
            newer.append(one)
    return sorted(newer)


def _is_older(manifest: Manifest) -> bool:
    return not {f"{app}.{name}" for app, name in _ours()} <= set(manifest.migrations.get(DASHBOARD, []))


def _ours() -> set[tuple[str, str]]:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return set(loader.disk_migrations)


def _all_places() -> list[Place]:
    """Also a database of the servers that is not there yet."""
    found = places()
    sides = {place.side for place in found}
    return found if SERVERS in sides else [*found, _servers_file()]


def _servers_file() -> Place:
    return Place(SERVERS, archive.SQLITE, settings.DATA / archive.FILES[archive.SQLITE][SERVERS])


def _exists(place: Place) -> bool:
    return bool(place.server) or place.file.exists()


def _let_go(place: Place) -> None:
    used = f"The database of the {place.side} is in use. Stop every process of Foyer first."
    if place.server:
        if others := place.server.others():
            raise CouldNotRestore(f"{used} PostgreSQL counts {others} other session{'s' if others > 1 else ''}.")
        return
    try:
        sqlite.let_go(place.file)
    except sqlite.InUse:
        raise CouldNotRestore(used) from None


def _join_rings(staged: Path) -> None:
    """The backup's keys, then those of today: whichever database there is, they open it."""
    ring = ring_file()
    if ring and (staged / SECRETS).exists():
        ring.join(staged / SECRETS)


def _locked(staged: Path, place: Place) -> int | None:
    """How many of its secrets the ring of tomorrow does not open."""
    if place.server:
        return None
    ring = ring_file()
    ring = type(ring)(staged / SECRETS) if ring and (staged / SECRETS).exists() else settings.FOYER_KEY_RING
    return sum(vault.key_id(one) not in ring for one in sqlite.sealed(staged / place.part, sealed_columns()))


@contextmanager
def _staging() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=settings.DATA, prefix=data.STAGED, ignore_cleanup_errors=True) as folder:
        yield Path(folder)
