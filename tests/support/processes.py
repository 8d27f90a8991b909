"""Programs that tests start: on free ports, each in a group of its own, ended with everything it started."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PR_SET_PDEATHSIG = 1


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def granian(target: str, port: int, threads: int = 4, workers: int = 1, *, access_log: bool = False) -> list[str]:
    """With `access_log` each answer is a line: its status, and the path that was asked for."""
    options = ["--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port), "--no-ws"]
    log = ["--access-log", "--access-log-fmt", "asked %(status)d %(path)s"] if access_log else ["--log-level", "error"]
    sizes = ["--workers", str(workers), "--blocking-threads", str(threads)]
    return python("-m", "granian", *options, *sizes, *log, target)


def environment(**changes: str | Path | int) -> dict[str, str]:
    """The tests' own environment without the database addresses of this run, plus `changes`."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_THIS_RUN}
    return kept | {name: str(value) for name, value in changes.items()}


_OF_THIS_RUN = {
    "DATABASE_URL", "SERVERS_DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE",
    "FOYER_PROCESS", "SERVERS_PROCESS", "PORT", "SERVERS_PORT",
}  # fmt: skip


def start(command: Sequence[str], *, env: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=output, stderr=output, stdin=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=_end_with_parent,
        )  # fmt: skip


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def stop(process: subprocess.Popen[bytes], patience: float = 5) -> None:
    """Ends the whole group; what does not go in time is killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    process.wait(patience)


def wait_until(holds: Callable[[], object], *, seconds: float = 30, what: str = "it") -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(f"After {seconds} s still waiting for {what}")
        time.sleep(0.05)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310  (our own loopback address)
            return response.status == 200
    except OSError:
        return False
