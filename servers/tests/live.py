"""Processes of the servers on the test's own database."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

from tests.support import processes


def environment(**changes: str | int) -> dict[str, str]:
    """Points a process at the database that pytest made."""
    data = Path(tempfile.mkdtemp(prefix="foyer-live-"))
    usual = {"FOYER_LOG_LEVEL": "WARNING", "SERVERS_ANONYMOUS_LIMIT": "100000/10"}
    changes = usual | {"SERVERS_SECRET_KEY": settings.SECRET_KEY} | changes
    env = processes.environment(FOYER_DATA=data, **changes)
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        (data / "servers.sqlite3").symlink_to(name)
    else:
        env["SERVERS_DATABASE_URL"] = urlsplit(os.environ["SERVERS_DATABASE_URL"])._replace(path=f"/{name}").geturl()
    return env


@contextmanager
def two_servers() -> Iterator[list[str]]:
    """The base addresses of two processes that share nothing but the database."""
    env, started, urls = environment(), [], []
    try:
        for _ in range(2):
            port = processes.free_port()
            log = Path(env["FOYER_DATA"]) / f"{port}.log"
            started.append(processes.start(processes.granian("servers.wsgi:application", port, 8), env=env, log=log))
            urls.append(f"http://127.0.0.1:{port}")
        for url in urls:
            processes.wait_until(lambda url=url: processes.answers(f"{url}/healthz"), what=url)
        yield [f"{url}/api/v1" for url in urls]
    finally:
        for process in started:
            processes.stop(process)


def worker(**changes: str | int) -> subprocess.Popen[bytes]:
    env = environment(**changes)
    return processes.start(processes.python("-m", "servers", "work"), env=env, log=Path(env["FOYER_DATA"]) / "work.log")
