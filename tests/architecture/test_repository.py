import re
import subprocess
from pathlib import Path

import pytest

from tests.support.processes import ROOT

DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
IGNORED = (".venv", "var/foyer.sqlite3", "var/secrets.toml", "__pycache__/x", "node_modules/x", ".hypothesis/x")


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_names_files_that_exist(path):
    text = path.read_text()
    named = re.findall(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:py|md|toml|txt))`", text)
    linked = [target for target in re.findall(r"\]\(([^)#\s]+)", text) if "://" not in target]
    there = [name for name in named if not name.startswith("var/")]
    anywhere = {Path(tracked).name for tracked in _git("ls-files")}
    assert [name for name in there if not (ROOT / name).exists() and name not in anywhere] == []
    assert [target for target in linked if not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_locks_by_hash_and_without_an_address(path):
    requirements = re.findall(r"^([a-z0-9][^\s\\]*==[^\n]*(?:\n[ ]{4}[^\n]*)*)", path.read_text(), re.M)
    assert requirements
    assert [entry.split()[0] for entry in requirements if "--hash=sha256:" not in entry] == []
    assert "://" not in path.read_text()
    assert "--index-url" not in path.read_text()


def test_names_no_address_of_an_index():
    files = ("Makefile", "pyproject.toml", "requirements/compile", "deploy/environment", "deploy/find-python")
    assert [name for name in files if "://" in (ROOT / name).read_text()] == []


@pytest.mark.parametrize("path", IGNORED)
def test_keeps_what_a_run_makes_out_of_the_repository(path):
    assert subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT, check=False).returncode == 0


def test_tracks_nothing_that_is_ignored():
    assert _git("ls-files", "-ci", "--exclude-standard") == []


def _git(*arguments: str) -> list[str]:
    return subprocess.check_output(["git", *arguments], cwd=ROOT, text=True).splitlines()
