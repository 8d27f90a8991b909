"""Numbers in the frame of every page, of rooms above the one that asks: by its query, so that none costs another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Number:
    expression: Callable[[], Any]
    """Of the organization whose row is read."""
    note: Callable[[Any, int], None]
    """Is told the organization, and the number."""


_numbers: list[Number] = []


def register(number: Number) -> None:
    _numbers.append(number)


def numbers() -> Sequence[Number]:
    return _numbers
