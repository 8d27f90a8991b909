"""A backup while everything runs: what is in it, what is not, and who may read it."""

import json
import sqlite3
import stat
import tarfile

import pytest

from tests.support import processes

WRITES = """
import django
django.setup()
from django.db import transaction
from organizer.accounts.models import AuditEntry
while True:
    with transaction.atomic():
        for half in ("one", "two"):
            AuditEntry.objects.create(by_name="busy", source="test", verb=half)
    print("wrote", flush=True)
"""


def manifest(file):
    with tarfile.open(file) as tar:
        first = tar.next()
        assert first.name == "manifest.json"
        return json.loads(tar.extractfile(first).read())


def test_makes_one_file_for_its_owner_only(installation, tmp_path):
    done = installation.manage("backup", tmp_path / "b.tar.gz")
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE((tmp_path / "b.tar.gz").stat().st_mode) == 0o600
    said = manifest(tmp_path / "b.tar.gz")
    names = {part["name"] for part in said["parts"]}
    assert {"foyer.sqlite3", "servers.sqlite3", "secrets.toml", "demo-password"} >= names - {"servers-secret"}
    assert {"foyer.sqlite3", "servers.sqlite3", "secrets.toml"} <= names
    assert all(len(part["sha256"]) == 64 for part in said["parts"])
    assert "accounts.0001_initial" in said["migrations"]["dashboard"]
    assert said["foyer"] == "0.1.0"
    assert said["lacks"] == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_says_what_it_lacks_without_the_keys(installation, tmp_path):
    done = installation.manage("backup", tmp_path / "b.tar.gz", "--without-keys")
    assert "It lacks the key ring (secrets.toml)" in done.stderr
    assert "must be entered again" in done.stderr
    assert {part["name"] for part in manifest(tmp_path / "b.tar.gz")["parts"]} == {"foyer.sqlite3", "servers.sqlite3"}


def test_says_so_too_where_the_ring_is_in_the_environment(installation, tmp_path):
    ring = (installation.data / "secrets.toml").read_text().split('key_ring = "')[1].split('"')[0]
    installation.env |= {"FOYER_KEY_RING": ring, "FOYER_SECRET_KEY": "x" * 50}
    done = installation.manage("backup", tmp_path / "b.tar.gz")
    assert "FOYER_KEY_RING and FOYER_SECRET_KEY, which are in the environment" in done.stderr
    assert ring.encode() not in (tmp_path / "b.tar.gz").read_bytes()


def test_brings_everything_back_on_an_empty_machine(installation, tmp_path):
    """While somebody writes: what is in the backup is one moment, and no half of anything."""
    writer = installation.start(WRITES, tmp_path / "writer.log")
    processes.wait_until(lambda: (tmp_path / "writer.log").read_text().count("wrote") > 5, what="a busy writer")
    done = installation.manage("backup", tmp_path / "b.tar.gz")
    assert done.returncode == 0, done.stderr
    processes.stop(writer)
    written = (tmp_path / "writer.log").read_text().count("wrote")

    installation.data.rename(tmp_path / "wiped")
    done = installation.manage("restore", tmp_path / "b.tar.gz")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Restored {tmp_path / 'b.tar.gz'}")
    assert installation.look() == "signed in opens"
    with sqlite3.connect(installation.data / "foyer.sqlite3") as rows:
        halves = dict(rows.execute("SELECT verb, count(*) FROM accounts_auditentry WHERE by_name = 'busy' GROUP BY 1"))
    assert halves["one"] == halves["two"] > 5
    assert halves["one"] <= written + 1


def test_leaves_the_old_one_when_it_is_killed(installation, tmp_path):
    (tmp_path / "b.tar.gz").write_text("the old one")
    assert installation.killed(1, "os.rename", "backup", tmp_path / "b.tar.gz")
    assert (tmp_path / "b.tar.gz").read_text() == "the old one"


@pytest.mark.parametrize("where", ["nowhere/b.tar.gz", "data"])
def test_says_where_it_cannot_write(installation, tmp_path, where):
    done = installation.manage("backup", tmp_path / where)
    assert done.returncode == 1
    assert "CommandError: " in done.stderr
    assert "Traceback" not in done.stderr


def test_says_that_there_is_nothing_to_back_up(installation, tmp_path):
    (installation.data / "foyer.sqlite3").unlink()
    done = installation.manage("backup", tmp_path / "b.tar.gz")
    assert "There is no database at" in done.stderr
    assert not (tmp_path / "b.tar.gz").exists()
