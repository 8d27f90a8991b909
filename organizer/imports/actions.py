"""A file of guests: taken, tried, and handed to the outbox. Nothing is half-done: each step is one transaction."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.connections.models import Connection
from organizer.events.models import Event
from organizer.imports import headings, queries, rules
from organizer.imports.models import Columns, Import
from organizer.imports.reading import Table, texts
from organizer.imports.rules import Checked, Choices
from organizer.sync import batches

KIND = "attendees.import"
FORGOTTEN_AFTER = timedelta(days=7)
"""What a file said of people; the guests that came of it are rows of their own."""
FORGOTTEN_IN_ANY_CASE = timedelta(days=30)


class CouldNotImport(Exception):
    """`message` is a whole sentence for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def take(*, event: Event, file_name: str, table: Table, by: User) -> Import:
    with transaction.atomic():
        found = Import(organization=event.organization, event=event, file_name=file_name, by=by, by_name=str(by))
        _keep(found, table)
        found.save(force_insert=True)
        after = {"file": file_name, "rows": len(table.rows)}
        audit.record("import.take", target=found, organization=event.organization, by=by, after=after)
    return found


def reread(*, found: Import, encoding: str) -> None:
    """The same file in another encoding, as long as nothing came of it. What was tried is forgotten."""
    _keep(found, texts.reread(queries.table(found), encoding))
    found.checked, found.counts, found.checked_at = [], {}, None
    mine = Import.objects.filter(pk=found.pk, started_at=None, forgotten_at=None)
    mine.update(**{name: getattr(found, name) for name in (*_KEPT, "checked", "counts", "checked_at")})


def try_out(*, found: Import, choices: dict[str, Any], by: User) -> None:
    """The dry run: says of each row what would happen, and changes nothing else. Raises `CouldNotImport`."""
    table = queries.table(found)
    rows = rules.check(table, _choices(choices), queries.known(found.event))
    with transaction.atomic():
        mine = Import.objects.filter(pk=found.pk, started_at=None, forgotten_at=None)
        tried = {"choices": choices, "checked": queries.as_kept(rows), "counts": _counted(rows)}
        if not mine.update(**tried, checked_at=timezone.now()):
            raise CouldNotImport(_("This file was imported already, or set aside."))
        Columns.objects.update_or_create(
            organization=found.organization,
            digest=headings.digest(table.header),
            defaults={"fields": headings.remember(table.header, choices["fields"]), "used_at": timezone.now()},
        )


def start(*, found: Import, by: User) -> Import:
    """The good rows go, as one batch. A second click finds it started. Raises `CouldNotImport`."""
    connection: Connection = found.event.connection
    with transaction.atomic():
        mine = Import.objects.select_for_update().defer("rows").get(pk=found.pk)
        if mine.started_at is not None:
            return mine
        if mine.checked_at is None or mine.forgotten_at is not None:
            raise CouldNotImport(_("Try it out first."))
        before, statuses = queries.checked(mine), queries.statuses(found.event)
        rows = [rules.again(one, statuses, mine.choices["status"]) for one in before]
        goes = [one.number for one in rows if one.goes]
        if not goes:
            raise CouldNotImport(_("No row of this file can be added."))
        mine.started_at = timezone.now()
        if rows != before:
            mine.checked, mine.counts = queries.as_kept(rows), _counted(rows)
            mine.save(update_fields=["checked", "counts"])
        after = {"file": mine.file_name, "guests": len(goes)}
        audit.record("import.start", target=mine, organization=mine.organization, by=by, after=after)
        params = {"import": str(mine.pk), "file": mine.file_name, "send_email": mine.choices.get("send_email", False)}
        keys = [f"{number:06}" for number in goes]
        mine.batch = batches.start(KIND, keys, connection=connection, by=by, params=params)
        mine.save(update_fields=["batch", "started_at"])
    return mine


def set_aside(*, found: Import, by: User) -> None:
    """What was not started goes at once, with all that the file said."""
    with transaction.atomic():
        gone, _rows = Import.objects.filter(pk=found.pk, started_at=None).delete()
        if gone:
            audit.record("import.set_aside", target=found, organization=found.organization, by=by)


def forget(now: datetime | None = None) -> int:
    """Bodies of guests are not kept: a file is emptied after days, once nothing is to be made of it any more."""
    now = now or timezone.now()
    old = Import.objects.filter(forgotten_at=None, created_at__lt=now - FORGOTTEN_AFTER)
    over = Q(batch=None) | Q(batch__finished_at__isnull=False) | Q(created_at__lt=now - FORGOTTEN_IN_ANY_CASE)
    pks = list(old.filter(over).values_list("pk", flat=True))
    return Import.objects.filter(pk__in=pks).update(rows=[], checked=[], forgotten_at=now)


_KEPT = ("how", "header", "rows")


def _keep(found: Import, table: Table) -> None:
    found.how, found.header = dict(table.how), list(table.header)
    found.rows = [[row.number, list(row.cells)] for row in table.rows]


def _choices(said: dict[str, Any]) -> Choices:
    return Choices(tuple(said["fields"]), said["ticket_class"], said["status"])


def _counted(rows: Sequence[Checked]) -> dict[str, int]:
    return dict(Counter(str(one.verdict) for one in rows))
