"""Processes that end together: each in a group of its own, its output prefixed, restarted when it dies."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 2.0
"""Seconds between asking a process to end and ending it."""
_LIBC = ctypes.CDLL(None)  # loaded here: between fork and exec is no time to load anything
_PR_SET_PDEATHSIG = 1

Running = subprocess.Popen[str]


@dataclass
class Process:
    name: str
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)
    running: Running | None = None
    started: float = 0
    failures: int = 0
    retry_at: float = 0

    def start(self) -> None:
        self.running, self.started, self.retry_at = spawn(self.command, self.env, name=self.name), time.monotonic(), 0

    def keep_alive(self) -> None:
        """Starts it again when it has died: soon, then later and later, up to half a minute."""
        now = time.monotonic()
        if self.retry_at:
            if now >= self.retry_at:
                self.start()
        elif self.running and self.running.poll() is not None:
            end([self.running])  # what it had started must not outlive it
            self.failures = 1 if now - self.started > 30 else self.failures + 1
            wait = min(30, 0.25 * 2**self.failures)
            self.retry_at = now + wait
            say("runner", f"{self.name} ended with {self.running.returncode}; starting it again in {wait:g} s")


def spawn(
    command: list[str],
    env: dict[str, str] | None = None,
    *,
    name: str,
    stdin: int | IO[str] | None = subprocess.DEVNULL,
    keep_output: bool = False,
) -> Running:
    """Its output is said under `name`; with `keep_output` only stderr is, and stdout is the caller's to read.

    It also ends when we are killed outright. Call it from the main thread: the kernel ties that to the thread.
    """
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": ""} | (env or {}),  # "" is "do write"
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if keep_output else subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=lambda: _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM),
    )
    said = process.stderr if keep_output else process.stdout
    threading.Thread(target=_relay, args=(name, said), daemon=True).start()
    return process


def end(processes: list[Running]) -> None:
    """Asks each group to end, and ends what is left of it after `PATIENCE`, whoever leads it."""
    _signal_groups(processes, signal.SIGTERM)
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit and any(process.poll() is None for process in processes):
        time.sleep(0.02)
    _signal_groups(processes, signal.SIGKILL)
    for process in processes:
        process.wait()


def say(name: str, text: str) -> None:
    sys.stderr.write(f"{name:9}| {text}\n")


def _relay(name: str, lines: Iterable[str]) -> None:
    for line in lines:
        say(name, line.rstrip())


def _signal_groups(processes: list[Running], number: int) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
