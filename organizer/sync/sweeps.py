"""A sweep, slice by slice: one request, then one commit. No transaction is open while the API is asked."""

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.connections import actions as connections
from organizer.connections.models import Connection, Health
from organizer.sync import leases, mirror, registry, schedule
from organizer.sync.models import Sweep
from organizer.sync.registry import Noun, Page
from organizer.sync.rules import (
    MAX_PAGES,
    ON_SCREEN_EVERY,
    ON_SCREEN_FOR,
    PageShape,
    is_last,
    next_read,
    wait_after,
)
from organizer.upstream.errors import (
    Broken,
    Forbidden,
    KeyRefused,
    Limited,
    NotFound,
    NotYet,
    Refused,
    ScopeMissing,
    Unreachable,
    UpstreamError,
)
from organizer.upstream.event_api import EventApi

log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds of a limit that a walk waits out in place: a broker's clock ticks too coarsely to come back to the moment."""
MOST_READS = 50
"""Rows that a walk missed are read one by one; more than this wait for the next walk."""
MOST_DOUBTS = 20
LOST_PARENT_AGAIN = timedelta(hours=1)
FAILURES_BEFORE_ALL_REST = 3
FAILURES_BEFORE_A_ROW_IS_LEFT = 3
FAILURES_BEFORE_A_PAGE_IS_LEFT = 5
_PROGRESS = [
    "generation", "page", "pages", "missing", "started_at", "finished_at", "next_at", "failures", "problem", "counts",
    "doubts", "asked_at",
]  # fmt: skip


@dataclass
class Walk:
    """Reads what is due of one connection. Whoever has one holds the connection's lease."""

    connection: Connection
    api: EventApi
    holder: str
    now: Callable[[], datetime] = timezone.now
    luck: Callable[[], float] = random.random

    def step(self) -> float | None:
        """One request. Answers the seconds to wait before the next; None when nothing is due."""
        started = self.now()
        sweep = schedule.choose(self.connection, started)
        if sweep is None:
            return None
        leases.renew(self.connection.pk, self.holder, started)
        noun = registry.noun(sweep.noun)
        if not sweep.page:
            _begin(sweep, started)
        try:
            if sweep.missing:
                self._read_missing(noun, sweep)
            else:
                self._read_page(noun, sweep)
        except (NotYet, Limited) as limit:
            return max(limit.wait - PATIENCE, 0.01)
        except UpstreamError as error:
            return self._failed(noun, sweep, error)
        except (leases.LeaseLost, Connection.DoesNotExist, Sweep.DoesNotExist, OperationalError, InterfaceError):
            raise
        except Exception:
            return self._broke(sweep)
        self._worked()
        if sweep.finished_at == sweep.started_at and not sweep.scope:
            schedule.plan(self.connection, self.now())
        return 0.0

    def _read_page(self, noun: Noun, sweep: Sweep) -> None:
        status = self._status(noun, sweep)
        asked = self.now()
        try:
            page = noun.page(self.api, sweep.scope, sweep.page, status)
        except Refused as refusal:
            fewer = noun.statuses[noun.statuses.index(status) + 1 :]
            if refusal.status != 400 or sweep.page != 1 or not fewer:
                raise
            sweep.counts["status"] = fewer[0]
            self._keep(sweep)
            return
        if status != self._known_status(noun):
            quirks = {f"{noun.name}.status": status}
            self.connection = connections.remember_quirks(connection=self.connection, quirks=quirks)
        if noun.tells_keys_apart and sweep.page == 1:
            connections.remember_events(connection=self.connection, ids=[item.id for item in page.items])
        with self._commit(sweep):
            read = mirror.Read(self.connection, sweep.scope, page.items, sweep.generation, page.requested_at)
            stored = mirror.store(noun, read)
            _tell(sweep, stored, page.doubts)
            self._turn(noun, sweep, page, stored)
            _add(sweep, busy=(self.now() - asked).total_seconds())
            self._finish_when_done(noun, sweep)

    def _read_missing(self, noun: Noun, sweep: Sweep) -> None:
        remote_id = _missed(noun, self.connection, sweep).values_list("remote_id", flat=True).first()
        if remote_id is None or sweep.counts.get("reads", 0) >= MOST_READS:
            with self._commit(sweep):
                sweep.counts["reads"] = MOST_READS
                self._finish_when_done(noun, sweep)
            return
        asked = self.now()
        item, gone, unread = None, [], []
        try:
            item = noun.read(self.api, sweep.scope, remote_id)
        except NotFound:
            gone = [remote_id]
        except (Refused, Forbidden, ScopeMissing):  # no read is to be had: two whole walks that missed it decide
            twice = _missed(noun, self.connection, sweep).filter(generation__lt=sweep.generation - 1)
            gone = list(twice.values_list("remote_id", flat=True))
            sweep.counts["reads"] = MOST_READS
        except (Broken, Unreachable) as error:
            if isinstance(error, Unreachable) and sweep.failures < FAILURES_BEFORE_A_ROW_IS_LEFT:
                raise
            unread = [remote_id]
        with self._commit(sweep):
            if item:
                read = mirror.Read(self.connection, sweep.scope, [item], sweep.generation, asked)
                _tell(sweep, mirror.store(noun, read), ())
                unread = [remote_id] if item.id != remote_id else []
            _add(sweep, gone=mirror.mark_gone(noun, self.connection, gone, as_of=asked))
            _tell(sweep, None, [f"{remote_id}: " + _("missing from its list, and could not be read") for _id in unread])
            sweep.counts["left"] = [*sweep.counts.get("left", []), *unread]
            _add(sweep, reads=1, busy=(self.now() - asked).total_seconds())
            self._finish_when_done(noun, sweep)

    def _turn(self, noun: Noun, sweep: Sweep, page: Page, stored: mirror.Stored) -> None:
        rows = len(page.items) + len(page.doubts)
        shape = PageShape(
            number=sweep.page,
            rows=rows,
            new=stored.new,
            pages=page.pages,
            total=page.total,
            first_page_rows=sweep.counts.setdefault("first_page_rows", rows),
            seen=sweep.counts["seen"] + sweep.counts["skipped"],
        )
        sweep.pages = page.pages
        if not is_last(shape):
            sweep.page += 1
            return
        sweep.missing = True
        if sweep.page >= MAX_PAGES:
            _tell(sweep, None, [_("The list did not end after %d pages.") % MAX_PAGES])
            sweep.counts["reads"] = MOST_READS  # not a whole walk: nothing can be missing from it

    def _finish_when_done(self, noun: Noun, sweep: Sweep) -> None:
        if not sweep.missing:
            return
        if sweep.counts.get("reads", 0) < MOST_READS and _missed(noun, self.connection, sweep).exists():
            return
        now = self.now()
        on_screen = sweep.looked_at is not None and now - sweep.looked_at < ON_SCREEN_FOR
        every = min(sweep.every, ON_SCREEN_EVERY) if on_screen else sweep.every
        sweep.finished_at, sweep.page, sweep.missing = sweep.started_at, 0, False
        busy = timedelta(seconds=sweep.counts.get("busy", 0))
        sweep.next_at = next_read(started=sweep.started_at or now, now=now, every=every, busy=busy)
        if sweep.asked_at and sweep.started_at and sweep.asked_at > sweep.started_at:
            sweep.next_at = now  # asked for while it was being read: what it began with may be older
        else:
            sweep.asked_at = None
        noun.fold(self.connection, sweep.scope)

    @contextmanager
    def _commit(self, sweep: Sweep) -> Iterator[None]:
        """The transaction of one slice: it holds the list's row, and proves that the lease is still ours."""
        with transaction.atomic():
            leases.renew(self.connection.pk, self.holder, self.now())
            now_stored = Sweep.objects.select_for_update().get(pk=sweep.pk)
            sweep.asked_at, sweep.looked_at = now_stored.asked_at, now_stored.looked_at
            yield
            sweep.failures, sweep.problem = 0, ""
            sweep.save(update_fields=_PROGRESS)

    def _keep(self, sweep: Sweep) -> None:
        """What came of a request that brought no rows; of no concern if somebody else walks by now."""
        with transaction.atomic():
            leases.renew(self.connection.pk, self.holder, self.now())
            sweep.save(update_fields=[name for name in _PROGRESS if name != "asked_at"])

    def _status(self, noun: Noun, sweep: Sweep) -> str | None:
        status = sweep.counts.get("status", self._known_status(noun))
        return status if status in noun.statuses else noun.statuses[0]

    def _known_status(self, noun: Noun) -> str | None:
        return self.connection.quirks.get(f"{noun.name}.status", noun.statuses[0])

    def _worked(self) -> None:
        leases.worked(self.connection.pk)
        if self.connection.health != Health.WORKING:
            connections.note_success(connection=self.connection)
            self.connection.refresh_from_db()

    def _failed(self, noun: Noun, sweep: Sweep, error: UpstreamError) -> float | None:
        now = self.now()
        log.info("%s of %s: %s", sweep, self.connection.pk, type(error).__name__)
        if isinstance(error, KeyRefused | ScopeMissing):
            self._note(error)
        if isinstance(error, KeyRefused):
            return None
        held = isinstance(error, ScopeMissing) and noun.name not in schedule.readable(self.connection)
        sweep.failures += 1
        sweep.problem = str(error)
        if isinstance(error, NotFound):
            sweep.page, sweep.missing, sweep.next_at = 0, False, now + LOST_PARENT_AGAIN
        elif not held:
            sweep.next_at = now + timedelta(seconds=wait_after(sweep.failures, self.luck()))
        self._keep(sweep)
        if isinstance(error, NotFound | ScopeMissing | Forbidden | Refused):
            return 0.0
        failures = leases.failed(self.connection.pk)
        if failures == 1:
            self._leave_page(sweep, error)
        if not isinstance(error, Unreachable) and failures < FAILURES_BEFORE_ALL_REST:
            return 0.0  # it may be this list alone
        self._note(error)
        return wait_after(failures, self.luck())

    def _broke(self, sweep: Sweep) -> float:
        """A bug of ours in one list does not hold the others."""
        log.exception("%s of %s could not be taken", sweep, self.connection.pk)
        failures = sweep.failures + 1
        Sweep.objects.filter(pk=sweep.pk).update(
            failures=failures,
            problem=_("This list could not be taken: an error of Foyer's own, which its log tells."),
            next_at=self.now() + timedelta(seconds=wait_after(failures, self.luck())),
        )
        return 0.0

    def _leave_page(self, sweep: Sweep, error: UpstreamError) -> None:
        """While all else answers one page does not: the others are not lost with it."""
        if sweep.missing or sweep.failures < FAILURES_BEFORE_A_PAGE_IS_LEFT or not sweep.pages:
            return
        _tell(sweep, None, [_("Page %(page)d could not be read: %(why)s") % {"page": sweep.page, "why": error}])
        sweep.counts["reads"] = MOST_READS  # not a whole walk: nothing can be missing from it
        sweep.failures = 0
        if sweep.page < sweep.pages:
            sweep.page += 1
        else:
            sweep.missing = True
        self._keep(sweep)

    def _note(self, error: UpstreamError) -> None:
        connections.note_failure(connection=self.connection, error=error)
        self.connection.refresh_from_db()


def _begin(sweep: Sweep, now: datetime) -> None:
    """Kept with the first page: a walk that dies before it has not begun."""
    sweep.generation += 1
    sweep.page, sweep.pages, sweep.missing = 1, None, False
    sweep.started_at = now
    sweep.counts, sweep.doubts = {"seen": 0, "changed": 0, "skipped": 0}, []


def _missed(noun: Noun, connection: Connection, sweep: Sweep) -> QuerySet[Any]:
    """What this walk has not seen, and has not tried to read: longest unseen first."""
    rows = noun.listed(noun.rows(connection, sweep.scope)).filter(gone_at=None, generation__lt=sweep.generation)
    left = sweep.counts.get("left", [])
    return rows.exclude(remote_id=None).exclude(remote_id__in=left).order_by("generation", "id")


def _tell(sweep: Sweep, stored: mirror.Stored | None, doubts: Sequence[str]) -> None:
    if stored:
        _add(sweep, seen=stored.seen, changed=stored.changed)
        doubts = [*doubts, *stored.skipped]
    _add(sweep, skipped=len(doubts))
    sweep.doubts = [*sweep.doubts, *doubts][:MOST_DOUBTS]


def _add(sweep: Sweep, **amounts: float) -> None:
    for name, amount in amounts.items():
        sweep.counts[name] = sweep.counts.get(name, 0) + amount
