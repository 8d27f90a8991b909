"""`make test`: style and types, then every test on SQLite and on PostgreSQL. Everything runs, then it says what failed.

`python -m tests.support.suite lint` runs the first part only.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.support import packages, postgres
from tests.support.processes import ROOT

BIN = Path(sys.executable).parent
SERVERS = ["--ds=servers.settings", "servers/tests"]
TOGETHER = ["-n", "4", "--dist", "loadfile", "--no-loadscope-reorder"]
"""Twice the cores of a small machine: who waits for a process leaves the others a core."""
FAILING = "--tb=short", "-q", "-ra"
LINT = {
    "style": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
    "types of the servers": ["mypy", "--config-file", "servers/mypy.ini"],
    "borders of the rooms": ["lint-imports", "--no-cache"],
    "migrations": ["python", "manage.py", "makemigrations", "--check", "--dry-run"],
    "migrations of the servers": ["python", "-m", "servers", "makemigrations", "--check", "--dry-run"],
}
SECRET = re.compile(rb"\b(?:evt|svc|sup)_live_[A-Za-z0-9_-]{24,}")


def main(only_lint: bool) -> int:
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory(prefix="foyer-suite-") as folder:
        os.environ["FOYER_TEST_DATA"] = os.environ["FOYER_DATA"] = os.environ["TMPDIR"] = folder
        os.environ["FOYER_LOG_LEVEL"] = "ERROR"
        steps: dict[str, Callable[[], bool]] = {name: _program(*command) for name, command in LINT.items()}
        if not only_lint:
            packages.ensure()
            steps |= TESTS
            steps["no key in a log or the broker's folder"] = lambda: _holds_no_key(Path(folder))
        return _run(steps)


def _run(steps: dict[str, Callable[[], bool]]) -> int:
    results = []
    for name, step in steps.items():
        sys.stderr.write(f"\n== {name}\n")
        sys.stderr.flush()
        began = time.monotonic()
        results.append((name, step(), time.monotonic() - began))
    sys.stdout.write("\n")
    for name, fine, seconds in results:
        sys.stdout.write(f"{'ok    ' if fine else 'FAILED'} {seconds:6.1f} s  {name}\n")
    sys.stdout.write(f"total  {sum(seconds for *_, seconds in results):6.1f} s\n")
    return 0 if all(fine for _, fine, _ in results) else 1


def _program(*command: str, **changes: str) -> Callable[[], bool]:
    def run() -> bool:
        return subprocess.run([BIN / command[0], *command[1:]], env=os.environ | changes, check=False).returncode == 0

    return run


def _on_postgres(*command: str) -> Callable[[], bool]:
    def run() -> bool:
        with postgres.running() as url:
            return _program(*command, DATABASE_URL=f"{url}/foyer", SERVERS_DATABASE_URL=f"{url}/servers")()

    return run


TESTS: dict[str, Callable[[], bool]] = {
    "dashboard, SQLite": _program("pytest", "tests", "-m", "not browser", *TOGETHER, *FAILING),
    "servers, SQLite": _program("pytest", *SERVERS, *TOGETHER, *FAILING),
    "dashboard, PostgreSQL": _on_postgres("pytest", "tests", "-m", "not browser", "--tables-only", *TOGETHER, *FAILING),
    "servers, PostgreSQL": _on_postgres("pytest", *SERVERS, *TOGETHER, *FAILING),
    "dashboard in a browser": _program("pytest", "tests/browser", "-n", "2", "--dist", "loadfile", *FAILING),
}


def _holds_no_key(folder: Path) -> bool:
    """Whatever the tests' processes wrote: a whole key in it is a failure. Keys of the tests' own are repetitive.

    Databases are searched for the very key by tests/browser/test_secrets.py: in their files a key's prefix, last four
    and fingerprint stand side by side and look like a key.
    """
    found = []
    for path in folder.rglob("*"):
        searched = path.is_file() and ".sqlite3" not in path.name
        if searched and any(len(set(key[9:])) > 8 for key in SECRET.findall(path.read_bytes())):
            found.append(str(path.relative_to(folder)))
    sys.stdout.write("".join(f"a key in clear: {path}\n" for path in found))
    return not found


if __name__ == "__main__":
    sys.exit(main(only_lint="lint" in sys.argv[1:]))
