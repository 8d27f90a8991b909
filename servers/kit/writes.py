"""How this process writes: one writer at a time on SQLite, so that many threads read while one writes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from django.db import connection, transaction

# SQLite has one writer anyhow; waiting here is fair and short, waiting inside SQLite polls with growing pauses
_one_writer = threading.RLock()


@contextmanager
def turn() -> Iterator[None]:
    """The right to write, without a transaction: for a single statement."""
    with _one_writer if connection.vendor == "sqlite" else nullcontext():
        yield


@contextmanager
def write() -> Iterator[None]:
    """One transaction that writes."""
    with turn(), transaction.atomic():
        yield
