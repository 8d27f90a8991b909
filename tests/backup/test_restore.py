"""A backup put in the place of what is there: all of it or nothing, whatever happens meanwhile."""

import fcntl
import io
import os
import resource
import shutil
import sqlite3
import subprocess
import tarfile

import pytest

from tests.backup.installation import Installation
from tests.support import processes

BEFORE, AFTER = ("Salon Mitte", "before", 2), ("after", "after", 2)
"""A restore joins the rings: the one of the backup, and the key that came since."""

LAST_RENAME = 7
"""The journal's, and of three files one away and one in."""
ON_A_SMALL_DISK = """
here=$1/small; room=$2; from=$3; shift 3
mkdir "$here"; mount -t tmpfs -o size=$room tmpfs "$here"
cp "$from"/foyer.sqlite3 "$from"/servers.sqlite3 "$from"/secrets.toml "$here"
code=0; "$@" || code=$?
echo $code; ls -A "$here"
for name in foyer.sqlite3 servers.sqlite3 secrets.toml; do cmp "$here/$name" "$from/$name"; done
echo same
"""


@pytest.fixture
def installation(went_on, tmp_path):
    shutil.copytree(went_on / "data", tmp_path / "data")
    return Installation(tmp_path / "data")


@pytest.fixture
def backup(went_on):
    return went_on / "b.tar.gz"


def refused(installation, file, *words):
    """Clearly, and without having changed anything."""
    before = installation.state()
    done = installation.manage("restore", file, *words)
    assert done.returncode == 1
    assert "Nothing was changed." in done.stderr
    assert "Traceback" not in done.stderr
    assert installation.state() == before
    assert installation.left_over() == []
    return done.stderr


def test_takes_the_place_of_what_is_there(installation, backup):
    done = installation.manage("restore", backup)
    assert done.returncode == 0, done.stderr
    assert installation.state() == BEFORE
    assert installation.look() == "signed in opens"
    assert installation.left_over() == []


def test_keeps_what_was_there_where_that_is_wanted(installation, backup):
    done = installation.manage("restore", backup, "--keep-replaced")
    (kept,) = installation.data.glob("replaced-*")
    assert str(kept) in done.stdout
    assert Installation(kept).state() == AFTER


def test_forgets_what_the_old_database_had_not_yet_taken_in(installation, backup):
    """Its log lies beside it, and would be played into the new one."""
    script = "import os, sqlite3; c = sqlite3.connect('foyer.sqlite3'); c.execute('PRAGMA journal_mode=WAL');"
    script += "c.execute(\"UPDATE accounts_organization SET name = 'in the log'\"); c.commit(); os._exit(9)"
    subprocess.run(processes.python("-c", script), cwd=installation.data, check=False)
    assert (installation.data / "foyer.sqlite3-wal").stat().st_size > 0
    assert installation.manage("restore", backup).returncode == 0
    assert installation.state() == BEFORE


class TestKilled:
    """Outright, by the kernel; `manage.py check` stands for whatever is started next."""

    @pytest.mark.parametrize(("number", "state"), [(1, AFTER), (2, BEFORE), (5, BEFORE), (LAST_RENAME, BEFORE)])
    def test_while_it_puts_files_in_place(self, installation, backup, number, state):
        assert installation.killed(number, "os.rename", "restore", backup)
        assert installation.manage("check").returncode == 0
        assert installation.state() == state
        assert installation.look() == "signed in opens"

    def test_while_it_tidies_up(self, installation, backup):
        assert installation.killed(1, "shutil.rmtree", "restore", backup)
        assert installation.manage("check").returncode == 0
        assert installation.state() == BEFORE
        assert installation.left_over() == []

    def test_and_begun_again(self, installation, backup):
        assert installation.killed(1, "os.rename", "restore", backup)
        assert len(installation.left_over()) > 0
        assert installation.manage("restore", backup).returncode == 0
        assert installation.state() == BEFORE
        assert installation.left_over() == []


class TestFullDisk:
    """Nothing is changed, whether the disk is full (a small one, in a namespace of its own) or a file may not grow."""

    def test_changes_nothing(self, installation, backup, tmp_path):
        room = sum(file.stat().st_size for file in installation.data.glob("*.sqlite3")) * 3 // 2
        program = [*processes.python("manage.py", "restore"), str(backup)]
        small = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc", ON_A_SMALL_DISK, "sh"]
        small += [str(tmp_path), str(room), str(installation.data)]
        if subprocess.run([*small[:4], "true"], capture_output=True, check=False).returncode:
            self.test_changes_nothing_where_a_file_may_not_grow(installation, backup)
            return
        done = subprocess.run(
            [*small, *program], cwd=processes.ROOT, env=installation.environment(FOYER_DATA=tmp_path / "small"),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert "No space left on device: there must be room for all of it. Nothing was changed." in done.stderr
        assert done.stdout.split() == [
            "1",
            "broker",
            "foyer.sqlite3",
            "run.lock",
            "secrets.toml",
            "servers.sqlite3",
            "same",
        ]

    def test_changes_nothing_where_a_file_may_not_grow(self, installation, backup):
        limit = (installation.data / "foyer.sqlite3").stat().st_size // 2
        done = subprocess.run(
            [*processes.python("manage.py", "restore"), str(backup)], cwd=processes.ROOT,
            env=installation.environment(), capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )  # fmt: skip
        assert done.returncode == 1
        assert "Nothing was changed." in done.stderr
        assert installation.state() == AFTER
        assert installation.left_over() == []


class TestRefuses:
    def test_while_foyer_runs(self, installation, backup):
        with (installation.data / "run.lock").open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write("4711")
            lock.flush()
            assert "Foyer is already running" in refused(installation, backup)

    @pytest.mark.parametrize("name", ["foyer", "servers"])
    def test_while_anybody_has_a_database_open(self, installation, backup, name):
        with sqlite3.connect(installation.data / f"{name}.sqlite3") as rows:
            rows.execute("PRAGMA journal_mode=WAL")
            rows.execute("SELECT count(*) FROM sqlite_master").fetchone()
            done = installation.manage("restore", backup)
            assert done.returncode == 1
            assert "is in use. Stop every process of Foyer first. Nothing was changed." in done.stderr
            rows.execute("SELECT count(*) FROM sqlite_master").fetchone()
        rows.close()
        assert installation.state() == AFTER

    def test_a_newer_schema(self, installation, tmp_path):
        with sqlite3.connect(installation.data / "foyer.sqlite3") as rows:
            rows.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('events', '9999_x', '2026-01-01')")
        assert installation.manage("backup", tmp_path / "newer.tar.gz").returncode == 0
        said = refused(installation, tmp_path / "newer.tar.gz")
        assert "made by a newer Foyer (0.1.0)" in said
        assert "events.9999_x" in said
        assert "Update Foyer first" in said

    def test_another_database(self, installation, backup):
        installation.env["DATABASE_URL"] = "postgres://nobody@127.0.0.1:9/nowhere"
        assert "is of SQLite, and this installation is on PostgreSQL" in refused(installation, backup)

    @pytest.mark.parametrize("name", ["foyer.sqlite3", "secrets.toml"])
    def test_a_part_that_is_damaged(self, installation, backup, tmp_path, name):
        rewrite(backup, tmp_path / "damaged.tar.gz", {name: lambda content: content[:-1] + bytes([content[-1] ^ 1])})
        assert f"{name} in it is damaged" in refused(installation, tmp_path / "damaged.tar.gz")

    @pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
    def test_one_that_is_cut_off(self, installation, backup, tmp_path, share):
        content = backup.read_bytes()
        (tmp_path / "cut.tar.gz").write_bytes(content[: int(len(content) * share)])
        said = refused(installation, tmp_path / "cut.tar.gz")
        assert "is not a backup of Foyer, or not all of it" in said or "It ends before" in said
        assert "Nothing was changed." in said

    def test_what_somebody_put_into_it(self, installation, backup, tmp_path):
        rewrite(backup, tmp_path / "more.tar.gz", {}, more={"../../evil": b"x"})
        assert "its manifest does not name" in refused(installation, tmp_path / "more.tar.gz")
        assert not (tmp_path / "evil").exists()

    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"x" * 5000])
    def test_what_is_no_backup(self, installation, backup, tmp_path, content):
        (tmp_path / "none").write_bytes(content)
        assert "is not a backup of Foyer" in refused(installation, tmp_path / "none")

    def test_what_is_not_there(self, installation, backup, tmp_path):
        assert "There is no file" in refused(installation, tmp_path / "missing.tar.gz")


class TestWithoutKeys:
    @pytest.fixture
    def keyless(self, installation, tmp_path):
        assert installation.manage("backup", tmp_path / "k.tar.gz", "--without-keys").returncode == 0
        return tmp_path / "k.tar.gz"

    def test_says_that_the_ring_that_is_here_opens_them(self, installation, keyless):
        said = installation.manage("restore", keyless).stderr
        assert "It lacks the key ring" in said
        assert "The key ring that is here opens all of them." in said
        assert installation.look() == "signed in opens"

    def test_says_how_many_do_not_open_on_another_machine(self, installation, keyless, tmp_path):
        shutil.rmtree(installation.data)
        said = installation.manage("restore", keyless).stderr
        assert "must be entered again. 1 of them do not open here." in said
        assert installation.look() == "signed in locked"


def rewrite(old, new, changed, more=()):
    """The same archive with other contents, its manifest left as it was."""
    with tarfile.open(old) as source, tarfile.open(new, "w:gz") as to:
        for member in source:
            content = source.extractfile(member).read()
            content = changed.get(member.name, bytes)(content)
            member.size = len(content)
            to.addfile(member, io.BytesIO(content))
        for name, content in dict(more).items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            to.addfile(member, io.BytesIO(content))
    os.sync()
