"""What there is to back up: databases and files of this installation, as its settings say."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import models
from environs import Env

from organizer.backup.archive import DASHBOARD, FILES, POSTGRESQL, SERVERS, SQLITE
from organizer.backup.postgres import Database

MADE = "last-backup.json"
"""Says in the data folder when the last backup was made, for the health page."""
SEALED = "ciphertext"
"""What a column of encrypted secrets is called, in whatever room."""


@dataclass(frozen=True)
class Place:
    """A database: of which side it is, and where. `server` is None where it is a file."""

    side: str
    kind: str
    file: Path
    server: Database | None = None

    @property
    def part(self) -> str:
        """What it is called in a backup."""
        return FILES[self.kind][self.side]


def places() -> list[Place]:
    """The dashboard's database, and the servers' where there is one."""
    found = [_place(DASHBOARD, settings.DATABASES["default"] if settings.DATABASE_URL else None)]
    servers = Env().dj_db_url("SERVERS_DATABASE_URL") if os.environ.get("SERVERS_DATABASE_URL") else None
    beside = _place(SERVERS, servers)
    return [*found, beside] if beside.server or beside.file.exists() else found


def ring_file() -> Any:
    """The key ring as a file of the data folder; None where it comes from the environment."""
    ring = settings.FOYER_KEY_RING
    return ring if hasattr(ring, "grow") else None


def sealed_columns() -> list[tuple[str, str]]:
    """Tables and columns that hold what only the key ring opens."""
    return [
        (model._meta.db_table, str(one.column))
        for model in apps.get_models()
        for one in model._meta.concrete_fields
        if isinstance(one, models.BinaryField) and one.name == SEALED
    ]


def _place(side: str, server: Any) -> Place:
    file = settings.DATA / FILES[SQLITE][side]
    return Place(side, POSTGRESQL, file, Database(server)) if server else Place(side, SQLITE, file)
