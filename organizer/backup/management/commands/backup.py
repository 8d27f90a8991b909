import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from organizer.backup import making
from organizer.backup.archive import SECRETS
from organizer.backup.postgres import CouldNot


class Command(BaseCommand):
    help = (
        "Writes everything of this installation into one file that only you can read, while everything runs:"
        " databases and key ring. Whoever has the file has the API keys: keep it as you keep them."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="for example foyer-backup.tar.gz; a file of that name is replaced")
        parser.add_argument("--without-keys", action="store_true", help=f"leave {SECRETS} out, and keep it elsewhere")

    def handle(self, *, file: Path, without_keys: bool, **options: Any) -> None:
        try:
            manifest = making.make(file.absolute(), with_keys=not without_keys)
        except (making.CouldNotMake, CouldNot, sqlite3.Error) as problem:
            raise CommandError(f"No backup was made. {problem}") from None
        except OSError as problem:
            raise CommandError(f"No backup was made: {problem.strerror} ({file}).") from None
        size = file.stat().st_size / 1_000_000
        inside = ", ".join(part.name for part in manifest.parts)
        self.stdout.write(f"{file}, {size:.1f} MB: {inside}.")
        for lack in manifest.lacks:
            self.stderr.write(lack)
