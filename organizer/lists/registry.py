"""Lists whose views can be saved. A room registers its own in its `apps.py`; nothing here knows what they list."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Listing:
    name: str
    cleaned: Callable[[str], str]
    """A query string as the list itself would say it: with what it understands and nothing else."""
    of_one: Callable[[str], bool]
    """Whether such a query means something on one object's list only."""
    address: Callable[[str, str], str | None]
    """Where the list is, of an organization's slug and the object it is about; None where there is no such list."""


_listings: dict[str, Listing] = {}


def register(*listings: Listing) -> None:
    _listings.update({one.name: one for one in listings})


def registered(name: str) -> Listing:
    return _listings[name]


def listing(name: str) -> Listing | None:
    """Of a name that came from outside."""
    return _listings.get(name)
