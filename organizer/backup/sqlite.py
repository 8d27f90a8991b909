"""SQLite's part: a copy while everything runs, and what must hold of one before it takes a database's place."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from organizer.backup.archive import Unusable

PATIENCE = 60.0


class InUse(Exception):
    """Some process has the database open."""


def copy(database: Path, to: Path) -> None:
    """One moment of it, whoever writes meanwhile; nobody waits for it."""
    with closing(sqlite3.connect(database, timeout=PATIENCE, isolation_level=None)) as source:
        source.execute("VACUUM INTO ?", [str(to)])


def migrations(database: Path) -> list[str]:
    with _reading(database) as rows:
        if not rows.execute("SELECT 1 FROM sqlite_master WHERE name = 'django_migrations'").fetchone():
            return []
        found = rows.execute("SELECT app, name FROM django_migrations ORDER BY app, name").fetchall()
    return [f"{app}.{name}" for app, name in found]


def sealed(database: Path, columns: list[tuple[str, str]]) -> Iterator[bytes]:
    """What is encrypted in it, of those tables that it has."""
    with _reading(database) as rows:
        for table, column in columns:
            if rows.execute("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", [table, column]).fetchone():
                yield from (bytes(one) for (one,) in rows.execute(f'SELECT "{column}" FROM "{table}"') if one)  # noqa: S608


def check(database: Path) -> None:
    try:
        with _reading(database) as rows:
            said = rows.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as problem:
        said = str(problem)
    if said != "ok":
        raise Unusable(f"{database.name} in it is damaged ({said}). Take another backup.")


def let_go(database: Path) -> None:
    """Raises `InUse` while anybody has it open. Leaves all of it in one file: only who is alone may leave WAL mode."""
    if not database.exists():
        return
    try:
        with closing(sqlite3.connect(database, timeout=0.2, isolation_level=None)) as alone:
            alone.execute("PRAGMA locking_mode=EXCLUSIVE")
            if alone.execute("PRAGMA journal_mode=DELETE").fetchone()[0] == "wal":
                raise InUse
            alone.execute("BEGIN EXCLUSIVE")
            alone.execute("ROLLBACK")
    except sqlite3.OperationalError as problem:
        if "locked" in str(problem) or "busy" in str(problem):
            raise InUse from None
    except sqlite3.DatabaseError:
        pass  # it is damaged: no reason not to replace it


@contextmanager
def _reading(database: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as rows:
        yield rows
