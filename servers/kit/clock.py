"""The one place that asks what time it is, so that a test can hand in another answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

_source: Callable[[], datetime] = lambda: datetime.now(UTC)  # noqa: E731


def now() -> datetime:
    return _source()


@contextmanager
def handed_in(source: Callable[[], datetime]) -> Iterator[None]:
    """All threads read `source` while the block runs."""
    global _source
    before, _source = _source, source
    try:
        yield
    finally:
        _source = before
