"""The rate limit: a fixed window per subject, counted in the database, so that all processes share it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import connection, models
from django.http import HttpResponse

from servers.kit import clock, writes


class Window(models.Model):
    """How often a key, or an address without one, has asked in its running window. Each API has its own table."""

    subject = models.CharField(max_length=100, primary_key=True)
    started_us = models.BigIntegerField()
    used = models.PositiveIntegerField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.subject}: {self.used}"


# one statement, so that two processes can never both take the last request of a window;
# a window that lies in the future is one of a clock that was set back
_TAKE = """
INSERT INTO {table} AS w (subject, started_us, used) VALUES (%(subject)s, %(now)s, 1)
ON CONFLICT (subject) DO UPDATE SET
  used = CASE WHEN w.started_us + %(length)s <= %(now)s OR w.started_us > %(now)s + %(length)s
    THEN 1 ELSE w.used + 1 END,
  started_us = CASE WHEN w.started_us + %(length)s <= %(now)s OR w.started_us > %(now)s + %(length)s
    THEN %(now)s ELSE w.started_us END
RETURNING used, started_us
"""


@dataclass(frozen=True)
class Allowance:
    limit: int
    used: int
    reset: int
    """Whole seconds, rounded up, until the window ends."""

    @property
    def exceeded(self) -> bool:
        return self.used > self.limit

    def write_on(self, response: HttpResponse) -> None:
        response["RateLimit-Limit"] = str(self.limit)
        response["RateLimit-Remaining"] = str(max(0, self.limit - self.used))
        response["RateLimit-Reset"] = str(self.reset)
        if response.status_code == 429:
            response["Retry-After"] = str(self.reset)


@contextmanager
def _hasty() -> Iterator[None]:
    """A count need not outlive a power cut, and each request makes one: here SQLite does not wait for the disk."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        [(usual,)] = cursor.execute("PRAGMA synchronous").fetchall()
        cursor.execute("PRAGMA synchronous=NORMAL")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA synchronous={usual}")


def take(windows: type[Window], subject: str, limit: int, seconds: int) -> Allowance:
    """Counts one request. A refused one is counted too, which makes no difference in a fixed window."""
    now, length = round(clock.now().timestamp() * 1_000_000), seconds * 1_000_000
    with writes.turn(), _hasty(), connection.cursor() as cursor:
        statement = _TAKE.format(table=windows._meta.db_table)
        cursor.execute(statement, {"subject": subject, "now": now, "length": length})
        [(used, started)] = cursor.fetchall()
    left = max(1, started + length - now)
    return Allowance(limit, used, -(-left // 1_000_000))


def take_for_address(windows: type[Window], address: str) -> Allowance:
    requests, seconds = settings.API_ANONYMOUS_LIMIT.split("/")
    return take(windows, f"address:{address[:80]}", int(requests), int(seconds))


def forget_addresses(windows: type[Window], before: datetime) -> None:
    """The windows of keys are few and stay; those of addresses come from anywhere."""
    with writes.turn():
        started_us = int(before.timestamp() * 1_000_000)
        windows._default_manager.filter(subject__startswith="address:", started_us__lt=started_us).delete()
