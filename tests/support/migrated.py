"""Databases begin as copies of one that is migrated already: applying every migration costs ten seconds."""

import shutil
import subprocess
from pathlib import Path
from typing import Literal

import psycopg
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from tests.support import processes
from tests.support.once import once

Side = Literal["dashboard", "servers"]
NAMES: dict[Side, str] = {"dashboard": "foyer", "servers": "servers"}
"""Of the SQLite file, and of PostgreSQL's database."""


def migrate(side: Side, **environment: str | Path) -> None:
    env = processes.environment(**environment, FOYER_PROCESS="command", SERVERS_PROCESS="command")
    command = processes.python("-m", "django", "migrate", "--no-input", "--settings", f"{side}.settings")
    done = subprocess.run(command, cwd=processes.ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{side} could not be migrated: {done.stderr[-2000:]}")


def put(side: Side, data: Path) -> None:
    """The side's SQLite database into a data folder that has none."""
    shutil.copy(_file(side), data)


def point(connection: BaseDatabaseWrapper, side: Side) -> None:
    """From here on the connection is one to the database of these tests."""
    told = connection.settings_dict
    if connection.vendor == "sqlite":
        name = str(told["TEST"]["NAME"])
        shutil.copy(_file(side), name)
    else:
        name = told["TEST"]["NAME"] or f"test_{told['NAME']}"
        make(f"postgres://{told['USER']}@{told['HOST']}:{told['PORT']}", name, side)
    connection.close()
    settings.DATABASES[connection.alias]["NAME"] = told["NAME"] = name


def make(server: str, name: str, side: Side = "dashboard") -> None:
    """A database on a PostgreSQL of tests.support.postgres, which has both sides' to copy from."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {NAMES[side]}")


def _file(side: Side) -> Path:
    return once(f"{side}-sqlite", lambda folder: migrate(side, FOYER_DATA=folder)) / f"{NAMES[side]}.sqlite3"
