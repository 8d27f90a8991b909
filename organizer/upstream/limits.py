"""What the transport asks before it sends, and tells after it was answered. Who keeps the count is not its business."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol


class Lane(StrEnum):
    """Whose turn it is: a person never waits behind bulk work, and a sweep waits behind both."""

    PERSON = "person"
    BULK = "bulk"
    SWEEP = "sweep"
    SPARE = "spare"  # a sweep's, while commands wait or soon will


class Limiter(Protocol):
    def take(self, lane: Lane) -> str:
        """A grant for one request. Raises `NotYet` where the allowance is used up."""

    def settle(self, grant: str, status: int | None, headers: Mapping[str, str]) -> None:
        """The request of `grant` was answered; `status` is None where nothing came back."""


class NoLimit:
    """For a key that nobody counts."""

    def take(self, lane: Lane) -> str:
        return ""

    def settle(self, grant: str, status: int | None, headers: Mapping[str, str]) -> None:
        return None
