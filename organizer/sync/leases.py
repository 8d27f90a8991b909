"""One walker at a time per connection, among all processes: a row that is changed by compare-and-set."""

import os
import socket
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db.models import F, Q

from organizer.kit.ids import new_id
from organizer.sync.models import Walker

LEASE = timedelta(seconds=60)
"""Outlives the read timeout (30 s) and the connect timeout (5 s)."""


class LeaseLost(Exception):
    """Somebody else walks now; what this walker has read is not stored."""


def _machine() -> str:
    """Host and process namespace: within them a process number means one process."""
    try:
        return f"{socket.gethostname()}/{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return socket.gethostname()


_MACHINE = _machine()
_LIFE = new_id().hex[-8:]
"""Tells this process from one that had its number before a restart."""


def process_name() -> str:
    return f"{_MACHINE}:{os.getpid()}:{_LIFE}"


def new_holder() -> str:
    return f"{process_name()}:{new_id()}"


def take(connection_id: Any, holder: str, now: datetime) -> bool:
    Walker.objects.get_or_create(connection_id=connection_id, defaults={"next_at": now})
    free = Q(holder="") | Q(until__lt=now)
    walkers = Walker.objects.filter(free, connection_id=connection_id, next_at__lte=now)
    return walkers.update(holder=holder, until=now + LEASE) == 1


def renew(connection_id: Any, holder: str, now: datetime) -> None:
    if not Walker.objects.filter(connection_id=connection_id, holder=holder).update(until=now + LEASE):
        raise LeaseLost


def release(connection_id: Any, holder: str, next_at: datetime) -> None:
    Walker.objects.filter(connection_id=connection_id, holder=holder).update(holder="", until=None, next_at=next_at)


def failed(connection_id: Any) -> int:
    """How many requests in a row have failed now, of whatever list."""
    Walker.objects.filter(connection_id=connection_id).update(failures=F("failures") + 1)
    return Walker.objects.values_list("failures", flat=True).get(connection_id=connection_id)


def worked(connection_id: Any) -> None:
    Walker.objects.filter(connection_id=connection_id, failures__gt=0).update(failures=0)


def is_of_this_process(holder: str) -> bool:
    return holder.startswith(f"{process_name()}:")


def is_dead(holder: str) -> bool:
    """Whether this holder was a process of this machine that is no more. Of other machines only time tells."""
    machine, _, rest = holder.partition(":")
    pid, _, rest = rest.partition(":")
    if machine != _MACHINE or not pid.isdecimal():
        return False
    if int(pid) == os.getpid():
        return rest.partition(":")[0] != _LIFE
    return not _is_alive(int(pid))


def release_dead() -> int:
    """Frees what processes of this machine held that are no more, so that the others go on at once."""
    held = Walker.objects.filter(holder__startswith=f"{_MACHINE}:").values_list("holder", flat=True)
    dead = [holder for holder in held if is_dead(holder)]
    return Walker.objects.filter(holder__in=dead).update(holder="", until=None) if dead else 0


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
