"""From `make run` in a prepared environment to the first page, and the idle memory of all that it starts."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psutil

from bench.figures import Figure
from tests.support import processes

FIRST_PAGE, MEMORY = 5.0, 400
IDLE_AFTER = 20.0


def measure() -> list[Figure]:
    data = Path(tempfile.mkdtemp(prefix="foyer-bench-"))
    try:
        _run(data, idle=0)  # the first start makes databases and demo
        starts, memory = [], {}
        for last in (False, False, True):
            seconds, memory = _run(data, idle=IDLE_AFTER if last else 0)
            starts.append(seconds)
        bare, bare_memory = _bare(data), _bare_memory()
    finally:
        shutil.rmtree(data, ignore_errors=True)
    total = sum(memory.values())
    parts = ", ".join(f"{name} {size:.0f}" for name, size in sorted(memory.items(), key=lambda part: -part[1]))
    return [
        Figure(
            "`make run`, prepared, to the first page (worst of 3)",
            f"{max(starts):.1f} s",
            f"{bare:.1f} s for the web process alone",
            f"≤ {FIRST_PAGE:.0f} s",
            max(starts) <= FIRST_PAGE,
        ),
        Figure(
            "memory (PSS) of the whole system, idle",
            f"{total:.0f} MB ({parts})",
            f"{bare_memory:.0f} MB for one bare Python with Django imported",
            f"≤ {MEMORY} MB",
            total <= MEMORY,
        ),
    ]


def _run(data: Path, *, idle: float) -> tuple[float, dict[str, float]]:
    port, servers_port = processes.free_port(), processes.free_port()
    env = processes.environment(FOYER_DATA=data, PORT=port, SERVERS_PORT=servers_port)
    began = time.perf_counter()
    with (data / "run.log").open("ab") as log:
        runner = subprocess.Popen(["make", "run"], cwd=processes.ROOT, env=env, stdout=log, stderr=log)
    try:
        processes.wait_until(lambda: processes.answers(f"http://127.0.0.1:{port}/"), seconds=90, what="the first page")
        seconds = time.perf_counter() - began
        processes.wait_until(lambda: processes.answers(f"http://127.0.0.1:{port}/readyz"), what="readiness")
        time.sleep(idle)
        return seconds, _memory(data)
    finally:
        for process in psutil.Process(runner.pid).children():
            process.send_signal(signal.SIGTERM)
        runner.wait(10)


def _memory(data: Path) -> dict[str, float]:
    """MB of each process, shared pages divided among those that share them."""
    sizes: dict[str, float] = {}
    for process in psutil.process_iter():
        try:
            if process.environ().get("FOYER_DATA") == str(data):
                name = _name(" ".join(process.cmdline()))
                sizes[name] = sizes.get(name, 0) + _pss(process.pid)
        except (psutil.Error, OSError):
            continue
    return sizes


def _name(command: str) -> str:
    known = {"dashboard.wsgi": "web", "servers.wsgi": "servers", "celery": "worker", "servers work": "work"}
    return next((name for part, name in known.items() if part in command), "runner")


def _pss(pid: int) -> float:
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
    return int(found[1]) / 1024 if found else 0


def _bare(data: Path) -> float:
    port = processes.free_port()
    began = time.perf_counter()
    env = processes.environment(FOYER_DATA=data, PORT=port)
    web = processes.start(processes.granian("dashboard.wsgi:application", port), env=env, log=Path(os.devnull))
    try:
        processes.wait_until(lambda: processes.answers(f"http://127.0.0.1:{port}/"), what="the web process")
        return time.perf_counter() - began
    finally:
        processes.stop(web)


def _bare_memory() -> float:
    program = "import django.db.models, django.template, sys; print(flush=True); sys.stdin.read()"
    bare = subprocess.Popen(processes.python("-c", program), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert bare.stdout
    bare.stdout.readline()
    size = _pss(bare.pid)
    bare.communicate()
    return size
