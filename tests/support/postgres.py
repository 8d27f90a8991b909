"""A PostgreSQL of our own on a free port in a temporary folder.

`python -m tests.support.postgres COMMAND …` runs a command with DATABASE_URL and SERVERS_DATABASE_URL pointing at it.
"""

import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.support import packages, processes

FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
"""A test's rows need not outlive a power cut."""


@contextmanager
def running(*, durable: bool = False) -> Iterator[str]:
    """Yields `postgres://…` up to the database's name, which the caller appends: `{url}/foyer`, `{url}/servers`."""
    if not packages.find("initdb"):
        packages.install(["postgresql"])
    initdb, postgres, createdb = (_program(name) for name in ("initdb", "postgres", "createdb"))
    # its own user must find the way there: not through the data folder of a test run
    folder = Path(tempfile.mkdtemp(prefix="foyer-postgres-", dir="/tmp" if os.geteuid() == 0 else None))  # noqa: S108
    port, log = processes.free_port(), folder.with_suffix(".log")
    as_owner = _as_owner(folder)
    _run(as_owner([initdb, "-D", folder, "-U", "foyer", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"]))
    options = [f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", "max_connections=200"]
    settings = [part for option in (*options, *([] if durable else FAST)) for part in ("-c", option)]
    server = processes.start(as_owner([postgres, "-D", folder, *settings]), env=processes.environment(), log=log)
    try:
        connect = ["-h", "127.0.0.1", "-p", str(port), "-U", "foyer"]
        processes.wait_until(
            lambda: _quiet([_program("pg_isready"), *connect, "-d", "postgres"]) == 0, what=f"PostgreSQL, see {log}"
        )
        for name in ("foyer", "servers"):
            _run([createdb, *connect, name])
        yield f"postgres://foyer@127.0.0.1:{port}"
    finally:
        processes.stop(server)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def another(settings: Mapping[str, Any]) -> Iterator[str]:
    """The address of an empty database beside the one of these Django settings, for processes of their own."""
    at = f"postgres://{settings['USER']}@{settings['HOST']}:{settings['PORT']}"
    name = f"beside_{secrets.token_hex(4)}"
    with psycopg.connect(f"{at}/postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{at}/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _program(name: str) -> Path:
    found = packages.find(name)
    if found is None:
        sys.exit(f"PostgreSQL's {name} is not installed:\n\n    sudo apt-get install -y postgresql\n")
    return found


def _as_owner(folder: Path):
    """PostgreSQL refuses to run as root: there its own user runs it, in a folder that it owns."""
    prefix: list[str] = []
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
    return lambda command: [*prefix, *map(str, command)]


def _run(command: list) -> None:
    # from / because the postgres user may not read the folder that we were started in
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd="/", check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


def _quiet(command: list) -> int:
    return subprocess.run([str(part) for part in command], capture_output=True, check=False).returncode


def main() -> int:
    with running() as url:
        env = os.environ | {"DATABASE_URL": f"{url}/foyer", "SERVERS_DATABASE_URL": f"{url}/servers"}
        return subprocess.run(sys.argv[1:], env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
