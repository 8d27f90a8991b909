"""An order as its pages show it: each question of the screen is a field or a property."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from organizer.orders import queries, rules
from organizer.orders.models import Order, State
from organizer.orders.rules import Why
from organizer.webhooks.models import Found, Reconciliation, Vendor

LOOKS = {
    rules.PLACING: ("info", "loader-2"),
    rules.PENDING: ("warn", "clock-hour-4"),
    rules.ACCEPTED: ("ok", "circle-check"),
    rules.FULFILLED: ("ok", "f-circle-check"),
    rules.REJECTED: ("stop", "circle-x"),
    rules.CANCELLED: ("mute", "ban"),
    rules.FAILED: ("stop", "alert-triangle"),
}
FOUND_LOOKS = {
    Found.CHANGED: ("ok", "circle-check"),
    Found.UNCHANGED: ("mute", "equal"),
    Found.NO_MATCH: ("warn", "help-circle"),
    Found.AMBIGUOUS: ("warn", "help-circle"),
    Found.FAILED: ("stop", "alert-triangle"),
}
WHY = {
    Why.NOT_CONNECTED: gettext_lazy("it has no address for orders any more"),
    Why.KEY_REFUSED: gettext_lazy("it refuses our key"),
    Why.RESTS: gettext_lazy("it has failed again and again, and is asked once a minute"),
    Why.FAILS: gettext_lazy("it did not answer as it should"),
    Why.ODD_ANSWER: gettext_lazy("what it answers is not about these orders"),
    Why.SLOW: gettext_lazy("it answers so slowly that they wait their turn"),
    Why.BUDGET: gettext_lazy("they wait their turn: it is asked five times a second at most"),
    Why.NO_WORKER: gettext_lazy("Foyer's worker is not running"),
}


@dataclass(frozen=True)
class OrderRow:
    order: Order

    @property
    def level(self) -> str:
        return LOOKS.get(self.order.state, ("mute", "help-circle"))[0]

    @property
    def icon(self) -> str:
        return LOOKS.get(self.order.state, ("mute", "help-circle"))[1]

    @property
    def spins(self) -> bool:
        return self.order.state == rules.PLACING

    @property
    def word(self) -> str:
        return state_word(self.order.state)

    @property
    def what(self) -> str:
        """`2 × Stalls, Winter Supper`."""
        lines = self.lines
        first = lines[0].text if lines else ""
        more = len(lines) - 1
        return first + (f" +{more}" if more > 0 else "")

    @cached_property
    def lines(self) -> "Sequence[Line]":
        wished = {str(one.get("listing_id")): one for one in self.order.wanted if isinstance(one, dict)}
        given = [one for one in self.order.payload.get("items") or [] if isinstance(one, dict)]
        return [Line.of(one, wished.get(str(one.get("listing_id")), {})) for one in given or self.order.wanted]

    @property
    def has_total(self) -> bool:
        return bool(self.order.currency)


@dataclass(frozen=True)
class Line:
    """One item: what the supplier says of it, over what was chosen."""

    quantity: int
    section: str
    event_name: str
    seats: str
    price: Any
    currency: str

    @classmethod
    def of(cls, item: dict[str, Any], wished: dict[str, Any]) -> "Line":
        seats = item.get("seats")
        named = ", ".join(str(one) for one in seats) if isinstance(seats, list) else ""
        row = str(item.get("row") or "")
        return cls(
            quantity=int(item.get("quantity") or wished.get("quantity") or 0),
            section=str(item.get("section") or wished.get("section") or item.get("listing_id") or ""),
            event_name=str(wished.get("event_name") or item.get("event_name") or ""),
            seats=(_("Row %s") % row + (f" · {named}" if named else "")) if row else named,
            price=item.get("price") or wished.get("price"),
            currency=str(wished.get("currency") or ""),
        )

    @property
    def sum(self) -> Decimal | None:
        """None where the price is not said, or nobody could read it."""
        try:
            return Decimal(str(self.price)) * self.quantity if self.price is not None else None
        except InvalidOperation:
            return None

    @property
    def text(self) -> str:
        where = ", ".join(filter(None, [self.event_name, self.section]))
        return f"{self.quantity} × {where}"


def state_word(state: str) -> str:
    return str(State(state).label) if state in State.values else state


def changes(one: Reconciliation) -> str:
    """`Pending → Accepted, 0 → 2 tickets`."""
    said = []
    for name, after in one.after.items():
        before = one.before.get(name)
        if name == "state":
            said.append(f"{state_word(str(before))} → {state_word(str(after))}")
        elif name == "tickets":
            said.append(_("tickets %(before)s → %(after)s") % {"before": before, "after": after})
        elif name in ("seats", "total"):
            said.append(_("seats") if name == "seats" else _("total"))
    return ", ".join(said)


@dataclass(frozen=True)
class LookRow:
    """One reconciliation of the list."""

    one: Reconciliation

    @property
    def level(self) -> str:
        return FOUND_LOOKS[Found(self.one.outcome)][0]

    @property
    def icon(self) -> str:
        return FOUND_LOOKS[Found(self.one.outcome)][1]

    @property
    def said(self) -> str:
        return changes(self.one) or self.one.reason


@dataclass(frozen=True)
class ListingRow:
    """What is sold, as the search kept it."""

    kept: dict[str, Any]

    @property
    def price(self) -> Decimal:
        return Decimal(self.kept["price"])

    @property
    def starts_at(self) -> datetime | None:
        said = self.kept.get("starts_at")
        return datetime.fromisoformat(said) if said else None


@dataclass(frozen=True)
class LateLine:
    late: queries.Late

    @property
    def vendor(self) -> Vendor:
        return self.late.vendor

    @property
    def filters(self) -> str:
        """The list of them."""
        return f"?tab=late&vendor={self.vendor.key}"

    @property
    def text(self) -> str:
        count = ngettext("%(n)s order of %(supplier)s", "%(n)s orders of %(supplier)s", self.late.count)
        said = count % {"n": self.late.count, "supplier": self.vendor.name}
        return _("%(orders)s not checked in time: %(why)s.") % {"orders": said, "why": WHY[self.late.why]}
