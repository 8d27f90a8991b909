"""Word to the worker that something is to be sent: after the commit, by a thread of its own.

A request never waits for the broker, and a dead broker harms nobody: the beat looks every second for what was missed.
"""

import atexit
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)

TASK = "organizer.sync.tasks.send"
TOGETHER = 0.02
"""Seconds in which the kicks of one connection become one."""
APART = 0.5
"""Seconds between two of them in a rush: who was kicked sends all that is due, and each kick costs time."""


class Kicker:
    """Sends what it is told, once for many who tell it in the same moment. Started with the first kick."""

    def __init__(self, send: Callable[[str, float], None]) -> None:
        self.lost = 0
        self._send = send
        self._due: dict[tuple[str, float], float] = {}
        self._last: dict[str, float] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._telling = False

    def tell(self, connection_id: str, after: float) -> None:
        with self._changed:
            kick = (connection_id, round(after, 1))
            rested = self._last.get(connection_id, float("-inf")) + APART if not after else 0.0
            self._due.setdefault(kick, max(time.monotonic() + TOGETHER, rested))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="kicks", daemon=True)
                self._thread.start()
            self._changed.notify()

    def flush(self, seconds: float = 2.0) -> None:
        """A command that ends right after its write leaves word first."""
        end = time.monotonic() + seconds
        with self._changed:
            while (self._due or self._telling) and time.monotonic() < end:
                self._changed.wait(0.05)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._due:
                    self._changed.wait()
                (connection_id, after), at = min(self._due.items(), key=lambda entry: entry[1])
                if (wait := at - time.monotonic()) > 0:
                    self._changed.wait(wait)
                    continue
                del self._due[connection_id, after]
                self._telling = True
                if not after:
                    self._last[connection_id] = time.monotonic()
            try:
                self._send(connection_id, after)
            except Exception:
                self.lost += 1
                log.warning("a kick could not be sent (%d so far)", self.lost, exc_info=True)
            finally:
                self._telling = False


def _by_broker(connection_id: str, after: float) -> None:
    current_app.send_task(TASK, kwargs={"connection_id": connection_id}, countdown=after or None)


_kicker = Kicker(_by_broker)
atexit.register(_kicker.flush)


def send(connection_id: Any, *, after: float = 0.0) -> None:
    transaction.on_commit(lambda: _kicker.tell(str(connection_id), max(after, 0.0)))
