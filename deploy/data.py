"""The data folder: who runs on it, and files that take the place of others all together or not at all.

Needs nothing but Python, as the runner does. Whoever begins to use a data folder calls `finish_swap` first.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

LOCK = "run.lock"
JOURNAL = "restore.json"
STAGED, REPLACED = "restore-", "replaced-"
"""What folders are called that hold files before they are put in place, and files that were."""
_BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite keeps beside a database belongs to that database, and to no other."""


class InUse(Exception):
    """The message names the process."""


def take_lock(data: Path) -> TextIO:
    """One runner, or one restore, for a data folder. The lock goes with the process, however that ends."""
    data.mkdir(parents=True, exist_ok=True)
    lock = (data / LOCK).open("a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        raise InUse(f"Foyer is already running on {data} (process {lock.read().strip()}).") from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def swap(data: Path, staged: Path, names: Sequence[str], *, replaced: str, keep: bool) -> None:
    """Puts `names` from `staged`, a folder in `data`, into `data`.

    From the moment that the journal stands all of them will be there, whoever has to finish it. What they replace is
    in the folder `replaced` until then, and afterwards where `keep` says so.
    """
    for name in names:
        _sync(staged / name)
    _sync(staged)
    plan = {"staged": staged.name, "names": list(names), "replaced": replaced, "keep": keep}
    draft = data / f".{JOURNAL}"
    draft.write_text(json.dumps(plan))
    _sync(draft)
    draft.replace(data / JOURNAL)
    _sync(data)
    finish_swap(data)


def finish_swap(data: Path) -> bool:
    """Ends what a swap began that was cut off: once, however many processes ask for it."""
    journal = data / JOURNAL
    try:
        plan = journal.open()
    except FileNotFoundError:
        return False
    with plan:
        fcntl.flock(plan, fcntl.LOCK_EX)
        if not journal.exists():  # somebody else has finished it meanwhile
            return False
        _finish(data, **json.load(plan))
        journal.unlink()
    _sync(data)
    return True


def forget_staged(data: Path) -> None:
    """What a restore had unpacked that was cut off before its swap."""
    for left in data.glob(f"{STAGED}*/"):
        shutil.rmtree(left)


def _finish(data: Path, *, staged: str, names: Sequence[str], replaced: str, keep: bool) -> None:
    old = data / replaced
    old.mkdir(mode=0o700, exist_ok=True)
    for name in names:
        if not (data / staged / name).exists():
            continue  # it is in its place already
        for present in (data / f"{name}{end}" for end in _BESIDE):
            if present.exists() and not (old / present.name).exists():
                present.replace(old / present.name)
        (data / staged / name).replace(data / name)
    for folder in (old, data):
        _sync(folder)
    shutil.rmtree(data / staged, ignore_errors=True)
    if not keep:
        shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
