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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg

from tests.support import packages, processes

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
        initdb, createdb = _program("initdb"), _program("createdb")
        options = ["-U", "foyer", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"]
        _run(self._as_owner([initdb, "-D", self.folder, *options]))
        self.start()
        for name in ("foyer", "servers"):
            _run([createdb, *self._connect, name])
        self.url = f"postgres://foyer@127.0.0.1:{self.port}"

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
        main = psutil.Process(self.process.pid)
        for process in (main, *main.children(recursive=True)):
            _quiet(self._as_owner(["prlimit", f"--pid={process.pid}", f"--fsize={size}:"]))

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
