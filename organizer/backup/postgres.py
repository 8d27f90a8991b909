"""PostgreSQL's part: its own programs do it. A database is replaced in one transaction."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

import psycopg

from organizer.backup.archive import Unusable

_NAMES = {"HOST": "PGHOST", "PORT": "PGPORT", "USER": "PGUSER", "PASSWORD": "PGPASSWORD", "NAME": "PGDATABASE"}
_LIKEWISE = ("sslmode", "sslrootcert", "sslcert", "sslkey", "service", "passfile")
Running = subprocess.Popen[bytes]
_DONE = "foyer-restored"
_EMPTY = r"""
\o /dev/null
BEGIN;
SET LOCAL lock_timeout = '5s';
DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('DROP TABLE public.%I CASCADE', one.tablename);
  END LOOP;
END $$;
"""


class CouldNot(Exception):
    """The message is what the program said, or which package has it."""


class Database:
    """`settings` are Django's; user and password travel in the environment, never as an argument."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        options = settings.get("OPTIONS", {})
        told = {theirs: str(settings[ours]) for ours, theirs in _NAMES.items() if settings.get(ours)}
        self._env = (
            os.environ | told | {f"PG{name.upper()}": str(options[name]) for name in _LIKEWISE if name in options}
        )
        self.name = told.get("PGDATABASE", "")
        self._connect = {name[2:].lower().replace("database", "dbname"): value for name, value in told.items()}
        self._connect |= {name: str(options[name]) for name in _LIKEWISE if name in options}

    def dump(self, to: Path) -> None:
        self._run([program("pg_dump"), "--format=custom", "--no-owner", "--no-privileges", "--file", str(to)])

    def migrations(self) -> list[str]:
        with self._opened() as database:
            if database.execute("SELECT to_regclass('public.django_migrations')").fetchone() == (None,):
                return []
            found = database.execute("SELECT app, name FROM django_migrations ORDER BY app, name").fetchall()
        return [f"{app}.{name}" for app, name in found]

    def others(self) -> int:
        """How many sessions are open beside ours: of a web process, a worker, or somebody's console."""
        asked = """SELECT count(*) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
        with self._opened() as database:
            return int(database.execute(asked).fetchone()[0])  # type: ignore[index]

    @contextmanager
    def replaced(self, by: Path) -> Iterator[None]:
        """Inside, all of it stands in a transaction that is committed at the end; whatever cuts it off undoes it."""
        command = [program("psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"]
        with subprocess.Popen(command, env=self._env, stdin=PIPE, stdout=PIPE, stderr=PIPE) as psql:  # noqa: S603
            self._fill(psql, by)
            yield
            _tell(psql, "COMMIT;\n")
            _of(psql.stdin).close()
            if psql.wait():
                raise _failed(psql)

    def _fill(self, psql: Running, by: Path) -> None:
        read = [program("pg_restore"), "--no-owner", "--no-privileges", "--no-comments", "--file=-", str(by)]
        _tell(psql, _EMPTY)
        with subprocess.Popen(read, stdout=PIPE, stderr=PIPE) as dump:  # noqa: S603
            try:
                shutil.copyfileobj(_of(dump.stdout), _of(psql.stdin))
            except BrokenPipeError:
                dump.kill()
                raise _failed(psql) from None
            if dump.wait():
                raise Unusable(f"pg_restore: {_of(dump.stderr).read().decode().strip()}")
        _tell(psql, f"\\echo {_DONE}\n")
        if not any(line.strip() == _DONE.encode() for line in _of(psql.stdout)):
            raise _failed(psql)

    def _opened(self) -> "psycopg.Connection[Any]":
        try:
            return psycopg.connect(**self._connect, autocommit=True)  # type: ignore[arg-type]
        except psycopg.OperationalError as problem:
            raise CouldNot(f"The database {self.name} does not answer: {problem}") from None

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise CouldNot(f"{Path(command[0]).name}: {done.stderr.strip()}")


def program(name: str) -> str:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = next((str(folder / name) for folder in versions if (folder / name).exists()), None) or shutil.which(name)
    if found is None:
        raise CouldNot(f"{name} is not installed here. It is in Debian's package postgresql-client.")
    return found


def _tell(psql: Running, words: str) -> None:
    try:
        _of(psql.stdin).write(words.encode())
        _of(psql.stdin).flush()
    except BrokenPipeError:
        raise _failed(psql) from None


def _failed(psql: Running) -> CouldNot:
    return CouldNot(f"psql: {_of(psql.stderr).read().decode().strip()}")


def _of(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101
    return pipe
