"""What is counted beside the store (refusals, repetitions, uses of a secret): kept for a moment, written together.

A kill outright loses that moment. What a 200 was said to is never here.
"""

import atexit
import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection
from django.utils import timezone

from organizer.webhooks import actions

log = logging.getLogger(__name__)
DELAY = 0.5


@dataclass
class Page:
    refusals: Counter[tuple[str, datetime, str]] = field(default_factory=Counter)
    repetitions: Counter[actions.Repeated] = field(default_factory=Counter)
    bodies: dict[actions.Repeated, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    uses: dict[UUID, datetime] = field(default_factory=dict)


class Notebook:
    """With a `delay` of 0 what is noted is written at once, by whoever noted it."""

    def __init__(self, delay: float = DELAY) -> None:
        self.delay = delay
        self._page = Page()
        self._lock = threading.Lock()
        self._waits = False

    def refused(self, vendor_id: UUID | None, reason: str) -> None:
        minute = timezone.now().replace(second=0, microsecond=0)
        self._note(lambda page: page.refusals.update([(vendor_id.hex if vendor_id else "", minute, reason)]))

    def repeated(self, vendor_id: UUID, dedupe_key: bytes, body_hash: bytes) -> None:
        def note(page: Page) -> None:
            page.repetitions[vendor_id, dedupe_key] += 1
            page.bodies[vendor_id, dedupe_key].add(body_hash)

        self._note(note)

    def used(self, secret_id: UUID) -> None:
        self._note(lambda page: page.uses.update({secret_id: timezone.now()}))

    def flush(self) -> None:
        with self._lock:
            page, self._page, self._waits = self._page, Page(), False
        try:
            _write(page)
        except DatabaseError:
            log.warning("counts of webhooks were lost", exc_info=True)

    def _note(self, note: Callable[[Page], Any]) -> None:
        with self._lock:
            note(self._page)
            starts, self._waits = not self._waits, True
        if not self.delay:
            self.flush()
        elif starts:
            timer = threading.Timer(self.delay, self._by_itself)
            timer.daemon = True
            timer.start()

    def _by_itself(self) -> None:
        try:
            self.flush()
        finally:
            connection.close()


def _write(page: Page) -> None:
    if page.refusals:
        actions.count_refusals(page.refusals)
    if page.repetitions:
        actions.count_repetitions(page.repetitions, page.bodies)
    for secret_id, at in page.uses.items():
        actions.note_use(secret_id=secret_id, at=at)


shared = Notebook()
atexit.register(shared.flush)
