"""What a person does about a command that waits or came to nothing; each act audited in its own transaction."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.sync import outbox
from organizer.sync.models import Command
from organizer.sync.outbox import CouldNotRepeat

__all__ = ["CouldNotRepeat", "it_was_done", "mark_seen", "send_again", "take_back"]


def send_again(*, command: Command, by: User, params: dict[str, Any] | None = None) -> Command:
    """As a new command, with `params` where the person changed them. Raises `CouldNotRepeat`."""
    with transaction.atomic():
        again = outbox.send_again(command, by=by, params=params)
        _record("sent_again", command, by, {"as": again.seq} | (params or {}))
    return again


def it_was_done(*, command: Command, by: User) -> None:
    """Raises `CouldNotRepeat`."""
    with transaction.atomic():
        outbox.it_was_done(command)
        _record("said_done", command, by)


def mark_seen(*, commands: Sequence[Command], by: User) -> None:
    with transaction.atomic():
        outbox.mark_seen(commands)
        for command in commands:
            _record("seen", command, by)


def take_back(*, command: Command, by: User) -> bool:
    """False where it was on its way already."""
    with transaction.atomic():
        if not outbox.take_back([command]):
            return False
        _record("taken_back", command, by)
    return True


def _record(verb: str, command: Command, by: User, after: dict[str, Any] | None = None) -> None:
    after = {"command": command.seq} | (after or {})
    audit.record(f"command.{verb}", target=command, organization=command.organization, by=by, after=after)
