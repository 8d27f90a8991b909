import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.backup.installation import Installation
from tests.support import migrated, postgres


@pytest.fixture(scope="session")
def furnished(tmp_path_factory) -> Path:
    """A data folder with the demo's people and a connection whose key is stored; made once, and copied."""
    made = Installation(tmp_path_factory.mktemp("furnished"))
    migrated.put("dashboard", made.data)
    made.prepare()
    with closing(sqlite3.connect(made.data / "servers.sqlite3", isolation_level=None)) as servers:
        servers.execute("CREATE TABLE kept (what TEXT)")
        servers.execute("INSERT INTO kept VALUES ('before')")
    return made.data


@pytest.fixture
def installation(furnished, tmp_path) -> Installation:
    shutil.copytree(furnished, tmp_path / "data")
    return Installation(tmp_path / "data")


@pytest.fixture(scope="session")
def went_on(furnished, tmp_path_factory) -> Path:
    """A folder with a backup, and the data of an installation where things went on after it; made once."""
    folder = tmp_path_factory.mktemp("went-on")
    shutil.copytree(furnished, folder / "data")
    made = Installation(folder / "data")
    assert made.manage("backup", folder / "b.tar.gz").returncode == 0
    made.change()
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with postgres.running() as url:
        yield url
