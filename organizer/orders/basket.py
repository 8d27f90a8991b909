"""What is being put together: carried by the form itself until it is placed, and stored nowhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Protocol

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from organizer.orders.actions import Item
from organizer.orders.rows import ListingRow

MOST_LINES, MOST_EACH = 20, 100


class Said(Protocol):
    """What we use of Django's QueryDict."""

    def get(self, key: str, default: str, /) -> str: ...
    def getlist(self, key: str, /) -> list[str]: ...


@dataclass(frozen=True)
class Wish:
    vendor: str
    listing: str
    quantity: str
    """As it was typed."""


@dataclass(frozen=True)
class Line:
    wish: Wish
    about: ListingRow | None
    """None where nobody has found it lately."""

    @property
    def name(self) -> str:
        if self.about is None:
            return self.wish.listing
        return ", ".join(filter(None, [self.about.kept.get("event_name"), self.about.kept.get("section")]))

    @property
    def number(self) -> int | None:
        said = self.wish.quantity.strip()
        number = int(said) if said.isascii() and said.isdecimal() and len(said) < 6 else 0
        return number if 1 <= number <= MOST_EACH else None

    @property
    def error(self) -> str:
        if self.number is None:
            return _("How many? A number from 1 to %(most)s.") % {"most": MOST_EACH}
        left = self.about.kept.get("available") if self.about else None
        if left is not None and self.number > left:
            return ngettext("Only %(n)s is left.", "Only %(n)s are left.", left) % {"n": left}
        return ""

    @property
    def sum(self) -> Decimal | None:
        return self.about.price * self.number if self.about and self.number else None

    @property
    def currency(self) -> str:
        return str(self.about.kept["currency"]) if self.about else ""

    @property
    def item(self) -> Item:
        kept = self.about.kept if self.about else {}
        return Item(self.wish.listing, self.number or 0, {name: kept[name] for name in kept if name != "id"})


@dataclass(frozen=True)
class Basket:
    """Of one supplier; `elsewhere` waits in the same form for when another is chosen again."""

    lines: Sequence[Line]
    elsewhere: Sequence[Wish] = ()

    @cached_property
    def totals(self) -> Sequence[tuple[Decimal, str]]:
        """One for each currency."""
        sums: dict[str, Decimal] = {}
        for line in self.lines:
            if line.sum is not None:
                sums[line.currency] = sums.get(line.currency, Decimal(0)) + line.sum
        return [(amount, currency) for currency, amount in sums.items()]

    @property
    def tickets(self) -> int:
        return sum(line.number or 0 for line in self.lines)

    @property
    def is_whole(self) -> bool:
        """The total counts every line."""
        return all(line.sum is not None for line in self.lines)

    @property
    def problem(self) -> str:
        """Of all lines together; each has its own besides."""
        if not self.lines:
            return _("Choose what to order.")
        if len(self.totals) > 1:
            return _("An order is paid in one currency: place one for each.")
        return ""

    @property
    def is_fine(self) -> bool:
        return not self.problem and not any(line.error for line in self.lines)

    @property
    def items(self) -> Sequence[Item]:
        return [line.item for line in self.lines]


def wishes(said: Said, vendor: str) -> Sequence[Wish]:
    """As the form says them, with what its buttons add and take away."""
    found = {
        (of, listing): Wish(of, listing, quantity)
        for of, listing, quantity in zip(
            said.getlist("of"), said.getlist("item"), said.getlist("quantity"), strict=False
        )
        if listing
    }
    found.pop((vendor, said.get("drop", "")), None)
    if added := said.get("add", ""):
        known = found.get((vendor, added))
        number = int(known.quantity) + 1 if known and known.quantity.isdecimal() and len(known.quantity) < 6 else 1
        found[vendor, added] = Wish(vendor, added, str(number))
    return list(found.values())[:MOST_LINES]


def fill(wished: Sequence[Wish], vendor: str, known: Mapping[str, dict[str, Any]]) -> Basket:
    """`known` is what is sold, by its id."""
    rows = {listing: ListingRow(kept) for listing, kept in known.items()}
    mine = [Line(one, rows.get(one.listing)) for one in wished if one.vendor == vendor]
    return Basket(mine, [one for one in wished if one.vendor != vendor])
