"""`make run`: prepares both sides, starts every process, restarts what dies, and ends all of it together.

Needs nothing but Python: it must be able to say what is wrong when everything else is.
"""

import os
import signal
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from deploy import data
from deploy.process import ROOT, Process, Running, end, spawn

DATA = Path(os.environ.get("FOYER_DATA") or ROOT / "var").resolve()
HOST = os.environ.get("FOYER_HOST", "127.0.0.1")
PORT, SERVERS_PORT = int(os.environ.get("PORT") or 8000), int(os.environ.get("SERVERS_PORT") or 8001)
SERVERS_URL = f"http://127.0.0.1:{SERVERS_PORT}"
SCOPES = "events:read,events:write,ticket_classes:read,ticket_classes:write,attendees:read,attendees:write"
os.environ["FOYER_DATA"] = str(DATA)  # one folder for all, wherever each of them runs
stopping = threading.Event()


def granian(target: str, host: str, port: int, threads: int) -> list[str]:
    sizes = ["--workers", "1", "--blocking-threads", str(threads), "--log-level", "error", "--no-ws"]
    return python("-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port), *sizes, target)


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


CELERY = ["-A", "dashboard", "--quiet", "worker", "-P", "threads", "-c", "8", "-l", "warning"]
CELERY += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
SERVERS = Process("servers", granian("servers.wsgi:application", HOST, SERVERS_PORT, 4))
WORK = Process("work", python("-m", "servers", "work"))
WORKER = Process("worker", python("-m", "celery", *CELERY), {"FOYER_PROCESS": "worker", "FOYER_BEAT": "thread"})
WEB = Process("web", granian("dashboard.wsgi:application", HOST, PORT, 8), {"FOYER_PROCESS": "web"})


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.set())
    lock = take_lock()
    for name, port in (("PORT", PORT), ("SERVERS_PORT", SERVERS_PORT)):
        check_port(name, port)
    data.finish_swap(DATA)
    started: list[Process] = []
    try:
        bring_up(started)
        while not stopping.wait(0.2):
            for process in started:
                process.keep_alive()
    finally:
        end([process.running for process in started if process.running])
        lock.close()


def bring_up(started: list[Process]) -> None:
    """The first page comes first: what it does not need starts when it is there."""
    dashboard, servers = (prepare(side) for side in ("dashboard", "servers"))
    connected, *strangers = finish(dashboard).splitlines()
    launch(started, WEB)
    finish(servers)
    launch(started, SERVERS)
    wait_for(f"http://127.0.0.1:{PORT}/healthz")
    wait_for(f"{SERVERS_URL}/healthz")
    if connected != "connected" and not stopping.is_set():
        connect()
    launch(started, WORK, WORKER)
    if not stopping.is_set():
        introduce(strangers)
        greet()


def launch(started: list[Process], *processes: Process) -> None:
    for process in processes:
        if not stopping.is_set():
            process.start()
            started.append(process)


def prepare(side: str) -> Running:
    return spawn(python("-m", "deploy.prepare", side), name=side, keep_output=True)


def connect() -> None:
    """The key goes from one command to the other through a pipe: never a file, an argument or a log."""
    make = ["create_api_key", "--organization", "demo", "--scopes", SCOPES, "--name", "Foyer"]
    keep = ["connect", "--organization", "demo", "--service", "events", "--url", f"{SERVERS_URL}/api/v1"]
    made = spawn(python("-m", "servers", *make), name="key", keep_output=True)
    kept = spawn(python("manage.py", *keep), {"FOYER_PROCESS": "command"}, name="connect", stdin=made.stdout)
    finish(made, read=False)
    finish(kept)


def introduce(keys: Sequence[str]) -> None:
    """The demo's suppliers to the dashboard, their credentials through pipes as well; then a few orders at each."""
    from deploy import suppliers

    retail_url = f"http://127.0.0.1:{PORT}"
    pairs = []
    for key in keys:
        make, keep = suppliers.commands(key, retail_url=retail_url, servers_url=SERVERS_URL)
        made = spawn(python("-m", "servers", *make), name="supplier", keep_output=True)
        kept = spawn(python("manage.py", *keep), {"FOYER_PROCESS": "command"}, name="supplier", stdin=made.stdout)
        pairs.append((made, kept))
    for made, kept in pairs:
        finish(made, read=False)
        finish(kept)
    finish(spawn(python("manage.py", "demo_orders"), {"FOYER_PROCESS": "command"}, name="orders"))


def finish(process: Running, *, read: bool = True) -> str:
    """Waits for a step; its failure, or being told to stop, ends the start."""
    while process.poll() is None:
        if stopping.wait(0.02):
            end([process])
            sys.exit(0)
    if process.returncode:
        sys.exit(f"A step of the start failed with {process.returncode}; what it said stands above.")
    return process.stdout.read().strip() if read and process.stdout else ""


def take_lock() -> TextIO:
    try:
        return data.take_lock(DATA)
    except data.InUse as problem:
        sys.exit(f"{problem} Stop it, or set FOYER_DATA.")


def check_port(name: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as problem:
            sys.exit(f"Port {port} is not free ({problem.strerror}). Choose another: {name}={port + 100} make run")


def wait_for(url: str, seconds: float = 60) -> None:
    limit = time.monotonic() + seconds
    while not stopping.is_set():
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310  (our own loopback address)
                return
        except OSError:
            if time.monotonic() > limit:
                sys.exit(f"{url} does not answer; what its process said stands above.")
        stopping.wait(0.05)


def greet() -> None:
    password = os.environ.get("FOYER_DEMO_PASSWORD") or (DATA / "demo-password").read_text().strip()
    print(
        f"""
Foyer is at        {os.environ.get("FOYER_PUBLIC_URL", f"http://localhost:{PORT}")}
sign in as         owner@demo.test, admin@, manager@, door@ or viewer@demo.test
the event server   http://localhost:{SERVERS_PORT} (operator)
password           {password}
Ctrl-C ends it.""",
        flush=True,
    )


if __name__ == "__main__":
    main()
