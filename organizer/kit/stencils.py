"""A piece of a page that is rendered once, and from then on only filled in: for what a rush of people asks for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Self

from django.utils.safestring import SafeString

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

    @property
    def names(self) -> frozenset[str]:
        """Of what is to be filled in."""
        return frozenset(self.parts[1::2])

    def filled(self, values: Mapping[str, str]) -> str:
        """Text is escaped, as a template does it; what is safe already is not."""
        parts = list(self.parts)
        parts[1::2] = [one if isinstance(one := values[name], SafeString) else escape(one) for name in self.parts[1::2]]
        return "".join(parts)
