"""Much to be done about old rows, a little at a time: nobody waits long for the lock, and who waits gets it."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import batched

from django.db.models import Model, QuerySet

from organizer.kit.paging import every_row

SIZE = 200
LONGEST_PAUSE = 0.2


def slices[M: Model](rows: QuerySet[M], *, order: Sequence[str], size: int = SIZE) -> Iterator[Sequence[M]]:
    return spared(batched(every_row(rows, order=order, size=size), size))


def spared[T](parts: Iterable[T], sleep: Callable[[float], None] = time.sleep) -> Iterator[T]:
    """After each part a pause as long as it took: SQLite gives its lock to who asks first, not to who waits longest."""
    took = 0.0
    for part in parts:
        if took:
            sleep(min(took, LONGEST_PAUSE))
        began = time.monotonic()
        yield part
        took = time.monotonic() - began


def delete(rows: QuerySet, size: int = SIZE) -> int:
    """Each slice is a transaction of its own. How many rows, of other tables too."""
    found = iter(lambda: list(rows.values_list("pk", flat=True)[:size]), [])
    return sum(rows.model._default_manager.filter(pk__in=keys).delete()[0] for keys in spared(found))
