"""A PostgreSQL of our own on a free port in a temporary folder.

`python -m tests.support.postgres COMMAND …` runs a command with DATABASE_URL and SERVERS_DATABASE_URL pointing at it.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg

from tests.support import migrated, packages, processes
from tests.support.once import once

FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
"""A test's rows need not outlive a power cut."""


class Server:
    """Until `stop`, on one port and one folder: what a test kills comes back with what it had."""

    def __init__(self, *, durable: bool = False) -> None:
        if not packages.find("initdb"):
            packages.install(["postgresql"])
        # its own user must find the way there: not through the data folder of a test run
        self.folder = Path(tempfile.mkdtemp(prefix="foyer-postgres-", dir="/tmp" if os.geteuid() == 0 else None))  # noqa: S108
        self.port, self._log = processes.free_port(), self.folder.with_suffix(".log")
        self._as_owner = _as_owner(self.folder)
        self._durable = durable
        self._server: subprocess.Popen[bytes] | None = None
        self.url = f"postgres://foyer@127.0.0.1:{self.port}"
        _copy(once("postgres", self._prepare), self.folder)
        self.start()

    def _prepare(self, made: Path) -> None:
        """Both sides' databases, migrated, into a folder that later servers begin with."""
        options = ["-U", "foyer", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"]
        _run(self._as_owner([_program("initdb"), "-D", self.folder, *options]))
        self.start()
        databases = {"DATABASE_URL": f"{self.url}/foyer", "SERVERS_DATABASE_URL": f"{self.url}/servers"}
        for side, name in migrated.NAMES.items():
            _run([_program("createdb"), *self._connect, name])
            with tempfile.TemporaryDirectory() as data:
                migrated.migrate(side, FOYER_DATA=data, **databases)
        processes.stop(self.process, patience=30)
        _copy(self.folder, made)

    @property
    def _connect(self) -> list[str]:
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "foyer"]

    def start(self) -> None:
        folder = self.folder
        options = [f"port={self.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}"]
        options += ["max_connections=200", *([] if self._durable else FAST)]
        settings = [part for option in options for part in ("-c", option)]
        command = self._as_owner([_program("postgres"), "-D", folder, *settings])
        self._server = processes.start(command, env=processes.environment(), log=self._log)
        is_ready = [_program("pg_isready"), *self._connect, "-d", "postgres"]
        processes.wait_until(lambda: _quiet(is_ready) == 0, what=f"PostgreSQL, see {self._log}")

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._server
        return self._server

    def let_grow(self, size: str) -> None:
        """No file of its grows beyond so many bytes, or `unlimited`. Its own user may say so, root need not."""
        with suppress(psutil.NoSuchProcess):  # it ends when the disk is full
            main = psutil.Process(self.process.pid)
            self._limit(main, size)  # before its children are listed: who is forked meanwhile has it from here
            for process in main.children(recursive=True):
                self._limit(process, size)

    def _limit(self, process: psutil.Process, size: str) -> None:
        _quiet(self._as_owner(["prlimit", f"--pid={process.pid}", f"--fsize={size}:"]))

    def keep_alive(self) -> None:
        """As who runs it does: started again where it ended by itself."""
        if self.process.poll() is not None:
            (self.folder / "postmaster.pid").unlink(missing_ok=True)
            self.start()

    def kill(self) -> None:
        """As the machine does it: no goodbye."""
        assert self._server
        os.killpg(self._server.pid, signal.SIGKILL)
        self._server.wait(10)
        (self.folder / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        if self._server:
            processes.stop(self._server)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def running(*, durable: bool = False) -> Iterator[str]:
    """Yields `postgres://…` up to the database's name, which the caller appends: `{url}/foyer`, `{url}/servers`."""
    server = Server(durable=durable)
    try:
        yield server.url
    finally:
        server.stop()


@contextmanager
def another(settings: Mapping[str, Any]) -> Iterator[str]:
    """The address of a migrated, empty database beside the one of these Django settings, for processes of their own."""
    at = f"postgres://{settings['USER']}@{settings['HOST']}:{settings['PORT']}"
    name = f"beside_{secrets.token_hex(4)}"
    migrated.make(at, name)
    try:
        yield f"{at}/{name}"
    finally:
        with psycopg.connect(f"{at}/postgres", autocommit=True) as server:
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


def _copy(one: Path, other: Path) -> None:
    _run(["cp", "-a", f"{one}/.", other])


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
