"""Files that take the place of others: all of them or none, wherever it is cut off by a kill."""

import os
import signal
import subprocess

import pytest

from deploy import data
from tests.support import processes

NAMES = ["a.sqlite3", "b.sqlite3", "new.toml"]
SWAP = """
import os, signal, sys
from pathlib import Path
from deploy import data
left, folder = int(sys.argv[1]), Path(sys.argv[2])
def watch(event, arguments):
    global left
    if event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "open"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(watch)
data.swap(folder, folder / "restore-x", ["a.sqlite3", "b.sqlite3", "new.toml"], replaced="replaced-x", keep=False)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "restore-x").mkdir()
    for name in NAMES:
        (tmp_path / "restore-x" / name).write_text("new")
    for name in ("a.sqlite3", "a.sqlite3-wal", "b.sqlite3"):
        (tmp_path / name).write_text("old")
    return tmp_path


def contents(folder):
    return {
        path.name: path.read_text() for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")
    }


OLD = {"a.sqlite3": "old", "a.sqlite3-wal": "old", "b.sqlite3": "old"}
NEW = dict.fromkeys(NAMES, "new")


def test_is_all_or_nothing_wherever_it_is_killed(folder, tmp_path_factory):
    seen = []
    for number in range(1, 100):
        here = tmp_path_factory.mktemp("swap")
        subprocess.run(["cp", "-a", f"{folder}/.", here], check=True)
        command = processes.python("-c", SWAP, str(number), str(here))
        done = subprocess.run(command, cwd=processes.ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        data.finish_swap(here)
        assert contents(here) in (OLD, NEW), number
        seen.append(contents(here) == NEW)
        if seen[-1]:
            assert not (here / "restore-x").exists()
            assert not (here / "replaced-x").exists()
    assert seen == sorted(seen)  # from one moment on it is the new ones
    assert seen.count(False) >= 3
    assert seen.count(True) >= 8
    assert contents(here) == NEW


def test_keeps_what_was_replaced(folder):
    data.swap(folder, folder / "restore-x", NAMES, replaced="replaced-x", keep=True)
    assert contents(folder) == NEW
    assert contents(folder / "replaced-x") == OLD


def test_has_nothing_to_finish_most_of_the_time(tmp_path):
    assert data.finish_swap(tmp_path) is False
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_says_who_has_the_folder(tmp_path):
    with data.take_lock(tmp_path), pytest.raises(data.InUse, match=rf"on {tmp_path} \(process {os.getpid()}\)"):
        data.take_lock(tmp_path)
