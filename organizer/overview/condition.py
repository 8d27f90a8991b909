"""How the installation and an organization's part of it stand, as the health page shows it. Asks no other machine."""

import json
import platform
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import django
from django.conf import settings
from django.db import connection as database
from django.db.models import Min
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.backup.places import MADE
from organizer.connections import rows
from organizer.connections.models import Connection
from organizer.connections.rows import ConnectionRow
from organizer.kit import version
from organizer.overview import health, lines
from organizer.overview.lines import Line
from organizer.overview.rules import PULSE_LIMIT, Check
from organizer.sync import queries as sync
from organizer.sync.models import OPEN, Command, Pulse, State, Sweep
from organizer.sync.rules import is_stale


@dataclass(frozen=True)
class Condition:
    installation: Sequence[Line]
    connections: Sequence[ConnectionRow]
    lists: Sequence[Line]
    checks: Sequence[Check]
    versions: Sequence[tuple[str, str]]

    @property
    def is_ready(self) -> bool:
        return all(check.ok for check in self.checks)

    @property
    def urgent(self) -> int:
        return self._count(lines.STOP)

    @property
    def wanting(self) -> int:
        return self._count(lines.WARN)

    def _count(self, level: str) -> int:
        found = [line.level for line in (*self.installation, *self.lists)]
        found += ["warn" if row.level == "ok" and row.lacks else row.level for row in self.connections]
        return found.count(level)


def condition(organization: Organization, *, now: datetime | None = None) -> Condition:
    now = now or timezone.now()
    server, held = _server()
    usage = shutil.disk_usage(settings.DATA)
    alive = Pulse.objects.filter(at__gte=now - PULSE_LIMIT).count()
    installation = [
        Line(_("Database"), lines.OK, f"{server} {_('answers')}; {lines.size(held)}."),
        lines.disk(usage.free, usage.total),
        lines.worker(health.worker(), alive=alive),
        lines.schedule(sync.pulse_age(now), len(settings.CELERY_BEAT_SCHEDULE)),
        _outbox(organization, now),
        _mail(),
        _backup(now),
    ]
    return Condition(
        installation=installation,
        connections=rows.rows(rows.known(organization)),
        lists=_lists(organization, now),
        checks=health.checks(reach=False),
        versions=[
            ("Foyer", version.foyer()),
            ("Python", platform.python_version()),
            ("Django", django.get_version()),
            (_("Database"), server),
        ],
    )


def _server() -> tuple[str, int]:
    """What the database is, and how much it holds."""
    with database.cursor() as cursor:
        if database.vendor == "postgresql":
            cursor.execute("SELECT current_setting('server_version'), pg_database_size(current_database())")
            number, held = cursor.fetchone()
            return f"PostgreSQL {number.split()[0]}", held
        cursor.execute("SELECT sqlite_version(), page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        number, held = cursor.fetchone()
        return f"SQLite {number}", held


def _outbox(organization: Organization, now: datetime) -> Line:
    connections = list(Connection.objects.filter(organization=organization))
    still = Command.objects.filter(organization=organization, state__in=OPEN)
    held = still.filter(sync.is_held(connections), state=State.WAITING)
    going = still.exclude(pk__in=held.values("pk"))
    due = going.aggregate(due=Min("due_at"))["due"]
    return lines.outbox(
        waiting=going.count(),
        overdue=now - due if due else None,
        held=held.count(),
        failed=sync.unseen(organization).count(),
        url=reverse("sync:outbox", args=[organization.slug]),
    )


def _mail() -> Line:
    mailer = settings.MAILERS["default"]
    options = mailer.get("OPTIONS", {})
    where = f"{options['host']}:{options.get('port', 25)}" if options.get("host") else options.get("file_path", "")
    return lines.mail(mailer["BACKEND"], where)


def _backup(now: datetime) -> Line:
    try:
        said = json.loads((settings.DATA / MADE).read_text())
        age, with_keys = now - datetime.fromisoformat(said["made_at"]), bool(said["with_keys"])
    except (OSError, ValueError, KeyError, TypeError):
        age, with_keys = None, False
    return lines.backup(age, with_keys=with_keys)


def _lists(organization: Organization, now: datetime) -> list[Line]:
    names = {"events": _("Events"), "ticket_classes": _("Ticket classes"), "attendees": _("Guests")}
    swept = Sweep.objects.filter(connection__organization=organization, connection__live=True)
    of: dict[str, list[tuple[datetime | None, timedelta, str, int]]] = {}
    for noun, read_at, every, problem, counts in swept.values_list("noun", "finished_at", "every", "problem", "counts"):
        of.setdefault(noun, []).append((read_at, every, problem, int(counts.get("skipped", 0))))
    return [
        _list(names.get(noun, noun.replace("_", " ").capitalize()), of[noun], now) for noun in sorted(of, key=_order)
    ]


def _order(noun: str) -> tuple[int, str]:
    first = ("events", "ticket_classes", "attendees")
    return (first.index(noun) if noun in first else len(first), noun)


def _list(name: str, found: Sequence[tuple[datetime | None, timedelta, str, int]], now: datetime) -> Line:
    read = [read_at for read_at, *_rest in found if read_at]
    return lines.lists(
        name,
        read=len(found),
        stale=sum(is_stale(read_at=read_at, every=every, now=now) for read_at, every, *_rest in found),
        problems=[problem for _at, _every, problem, _skipped in found if problem],
        skipped=sum(skipped for *_rest, skipped in found),
        oldest=now - min(read) if read else None,
    )
