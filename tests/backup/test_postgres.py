"""The same on PostgreSQL, by its own programs."""

import secrets
import shutil

import psycopg
import pytest

from organizer.backup import postgres
from tests.backup.installation import KEY, Installation
from tests.support import migrated


@pytest.fixture
def installation(server, furnished, tmp_path):
    """The dashboard on PostgreSQL, the servers beside it on SQLite."""
    name = f"dashboard_{secrets.token_hex(4)}"
    migrated.make(server, name)
    (tmp_path / "data").mkdir()
    shutil.copy(furnished / "servers.sqlite3", tmp_path / "data")
    allowed = {"FOYER_ALLOW_PRIVATE_ADDRESSES": "1", "FOYER_ALLOWED_HOSTS": "testserver"}
    made = Installation(tmp_path / "data", allowed | {"DATABASE_URL": f"{server}/{name}"})
    made.prepare()
    return made


def ask(installation, sql):
    with psycopg.connect(installation.env["DATABASE_URL"], autocommit=True) as rows:
        answer = rows.execute(sql)
        return answer.fetchone()[0] if answer.description else None


def test_comes_back_whole_or_not_at_all(installation, tmp_path):
    file = tmp_path / "b.tar.gz"
    done = installation.manage("backup", file)
    assert done.returncode == 0, done.stderr
    assert "foyer.dump, secrets.toml, servers.sqlite3" in done.stdout
    ask(installation, "UPDATE accounts_organization SET name = 'after'")
    ask(installation, "CREATE TABLE of_a_newer_foyer (id int)")

    with psycopg.connect(installation.env["DATABASE_URL"]):
        said = installation.manage("restore", file).stderr
    assert "The database of the dashboard is in use" in said
    assert "PostgreSQL counts 1 other session." in said

    assert installation.killed(2, "os.rename", "restore", file)  # its transaction stands, and was not committed
    assert ask(installation, "SELECT name FROM accounts_organization") == "after"
    assert installation.look() == "signed in opens"

    done = installation.manage("restore", file)
    assert done.returncode == 0, done.stderr
    assert ask(installation, "SELECT name FROM accounts_organization") == "Salon Mitte"
    assert ask(installation, "SELECT to_regclass('of_a_newer_foyer')") is None
    assert installation.look() == "signed in opens"
    assert installation.manage("migrate", "--check").returncode == 0
    assert KEY.encode() not in file.read_bytes()


def test_says_what_the_database_says(installation, tmp_path):
    installation.env["DATABASE_URL"] += "_gone"
    done = installation.manage("backup", tmp_path / "b.tar.gz")
    assert done.returncode == 1
    assert "No backup was made. pg_dump: " in done.stderr
    assert "does not exist" in done.stderr
    assert not (tmp_path / "b.tar.gz").exists()


def test_says_which_package_has_the_programs():
    with pytest.raises(postgres.CouldNot, match=r"pg_nothing is not installed here\. It is in Debian's package"):
        postgres.program("pg_nothing")
