"""Guessing passwords is slow: after a few refusals, a name and an address wait."""

from datetime import timedelta

from servers.console.models import SignInFailure
from servers.kit import clock, writes

WINDOW = timedelta(minutes=10)
PER_NAME = 8
PER_ADDRESS = 40
KEPT = timedelta(hours=1)


def is_blocked(name: str, address: str) -> bool:
    recent = SignInFailure.objects.filter(at__gt=clock.now() - WINDOW)
    # the name is counted per address, so that a stranger cannot lock a member out
    return (
        recent.filter(address=address).count() >= PER_ADDRESS
        or recent.filter(name=name.lower()[:150], address=address).count() >= PER_NAME
    )


def note_success(name: str, address: str) -> None:
    with writes.turn():
        SignInFailure.objects.filter(name=name.lower()[:150], address=address).delete()


def note_failure(name: str, address: str) -> None:
    with writes.write():
        SignInFailure.objects.filter(at__lt=clock.now() - KEPT).delete()
        SignInFailure.objects.create(name=name.lower()[:150], address=address)
