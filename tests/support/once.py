"""What is costly to make and the same for every test: the first of all processes of a run that asks makes it."""

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path


def once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` filled, whole: to be copied from, never written to."""
    folder = _root() / name
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            staged = folder.with_suffix(".staged")
            shutil.rmtree(staged, ignore_errors=True)
            staged.mkdir()
            make(staged)
            staged.rename(folder)
    return folder


def _root() -> Path:
    """Of the run's data; a benchmark has none."""
    if "FOYER_TEST_DATA" not in os.environ:
        os.environ["FOYER_TEST_DATA"] = tempfile.mkdtemp(prefix="foyer-once-")
        atexit.register(shutil.rmtree, os.environ["FOYER_TEST_DATA"], ignore_errors=True)
    return Path(os.environ["FOYER_TEST_DATA"]) / "once"
