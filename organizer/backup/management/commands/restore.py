import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from organizer.backup import restoring
from organizer.backup.archive import Unusable
from organizer.backup.postgres import CouldNot
from organizer.backup.restoring import CouldNotRestore, Restored

UNCHANGED = "Nothing was changed."


class Command(BaseCommand):
    help = (
        "Puts a backup in the place of what is there: all of it, or nothing. Foyer must not run meanwhile."
        " Cut off, it is ended by the next start of Foyer, or has changed nothing."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--keep-replaced", action="store_true", help="keep what was there, in a folder beside it")

    def handle(self, *, file: Path, keep_replaced: bool, **options: Any) -> None:
        try:
            restored = restoring.restore(file.absolute(), keep=keep_replaced)
        except (CouldNotRestore, Unusable, CouldNot, sqlite3.Error) as problem:
            raise CommandError(f"{str(problem).rstrip('.')}. {UNCHANGED}") from None
        except OSError as problem:
            raise CommandError(f"{problem.strerror}: there must be room for all of it. {UNCHANGED}") from None
        self._say(file, restored)

    def _say(self, file: Path, restored: Restored) -> None:
        manifest = restored.manifest
        self.stdout.write(f"Restored {file} of {manifest.made_at}: {', '.join(part.name for part in manifest.parts)}.")
        for name in restored.left_alone:
            self.stderr.write(f"{name} is not in it and was left as it was.")
        for lack in manifest.lacks:
            self.stderr.write(f"{lack}{_now(restored.locked)}")
        if restored.locked and not manifest.lacks:
            self.stderr.write(f"{restored.locked} stored secrets do not open with its key ring: enter them again.")
        if restored.is_older:
            self.stderr.write("Its tables are older than this Foyer: make run, or manage.py migrate, brings them up.")
        if restored.replaced:
            self.stdout.write(f"What was there is in {restored.replaced}.")


def _now(locked: int | None) -> str:
    if locked is None:
        return ""
    return f" {locked} of them do not open here." if locked else " The key ring that is here opens all of them."
