"""A piece of a page that is rendered once, and from then on only filled in: for what a rush of people asks for."""

import re
from dataclasses import dataclass
from html import escape
from typing import Self

_MARK = re.compile("\ue000(\\w+)\ue001")  # of Unicode's private use: no template escapes or translates it


def mark(name: str) -> str:
    """Given to the template where the value will be."""
    return f"\ue000{name}\ue001"


@dataclass(frozen=True)
class Stencil:
    parts: tuple[str, ...]
    """Text and names in turn, text first."""

    @classmethod
    def of(cls, rendered: str) -> Self:
        return cls(tuple(_MARK.split(rendered)))

    def filled(self, values: dict[str, str]) -> str:
        parts = list(self.parts)
        parts[1::2] = [escape(values[name]) for name in self.parts[1::2]]
        return "".join(parts)
