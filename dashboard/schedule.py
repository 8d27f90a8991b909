"""Celery's schedule, which neither a full disk nor a clock that was set back stops."""

import logging
from datetime import timedelta
from typing import Any

from celery.beat import PersistentScheduler

log = logging.getLogger(__name__)
AHEAD = timedelta(seconds=5)


class Schedule(PersistentScheduler):
    def tick(self, *args: Any, **kwargs: Any) -> Any:
        self._set_right()
        return super().tick(*args, **kwargs)

    def sync(self) -> None:
        """When each ran is kept for the next start: without room on the disk it is known here all the same."""
        try:
            super().sync()
        except Exception:
            log.warning("the schedule could not be stored", exc_info=True)
            self._store.writeback = True  # shelve leaves it off where it was interrupted

    def _set_right(self) -> None:
        """What ran in the future would wait for that hour, and hold up in the queue what did not."""
        now = self.app.now()
        late = [entry for entry in self.schedule.values() if entry.last_run_at and entry.last_run_at > now + AHEAD]
        if late:
            for entry in self.schedule.values():
                entry.last_run_at = now
            self._heap = None
