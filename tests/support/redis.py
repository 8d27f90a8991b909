"""A Redis of our own on a free port, without a file."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from tests.support import packages, processes


@contextmanager
def running() -> Iterator[str]:
    program = packages.find("redis-server", "valkey-server")
    if program is None:
        packages.install(["redis-server"])
        program = packages.find("redis-server")
    folder, port = Path(tempfile.mkdtemp(prefix="foyer-redis-")), processes.free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    server = processes.start([str(program), *options], env=processes.environment(), log=folder / "redis.log")
    url = f"redis://127.0.0.1:{port}/0"
    try:
        processes.wait_until(lambda: _answers(url), what="Redis")
        yield url
    finally:
        processes.stop(server)


def _answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(url) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False
