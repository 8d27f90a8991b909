"""An order told: why it stands as it does, and what happened when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from organizer.orders import queries, rules
from organizer.orders.models import MoveCause, Order, OrderMove, Ticket
from organizer.orders.rows import FOUND_LOOKS, LOOKS, WHY, OrderRow, changes, state_word
from organizer.sync import queries as sync
from organizer.sync.models import Command
from organizer.webhooks.models import Cause, Delivery, Found, Reconciliation

MOST_EVENTS = 60


@dataclass(frozen=True)
class Event:
    """One line of an order's timeline."""

    at: datetime
    level: str
    icon: str
    title: str
    text: str = ""
    url: str = ""


@dataclass(frozen=True)
class OrderPage:
    order: Order
    now: datetime

    @property
    def row(self) -> OrderRow:
        return OrderRow(self.order)

    @cached_property
    def tickets(self) -> Sequence[Ticket]:
        return list(self.order.tickets.order_by("row", "seat", "seen_at"))

    @property
    def fetched(self) -> int:
        return sum(ticket.fetched_at is not None for ticket in self.tickets)

    @cached_property
    def command(self) -> Command | None:
        return Command.objects.filter(noun="orders", target_id=self.order.pk).order_by("-seq").first()

    @property
    def is_late(self) -> bool:
        one = self.order
        state = rules.is_late(read_at=one.state_read_at, due_at=one.state_due_at, every=rules.STATE_EVERY, now=self.now)
        return state or rules.is_late(
            read_at=one.fulfilment_read_at, due_at=one.fulfilment_due_at, every=rules.FULFILMENT_EVERY, now=self.now
        )

    @property
    def is_live(self) -> bool:
        """Something may move: the page asks for itself."""
        return self.order.is_open or self.fetched < max(len(self.tickets), self.order.tickets_expected)

    @property
    def why(self) -> str:
        """Why it did not move, or what it waits for, in a sentence."""
        order, supplier = self.order, self.order.vendor.name
        if order.state == rules.FAILED:
            reason = order.outbox.get("reason") or (self.command.reason if self.command else "")
            return _("%(supplier)s did not take it: %(reason)s") % {"supplier": supplier, "reason": reason}
        if order.state == rules.PLACING:
            return self._why_placing()
        if order.state == rules.REJECTED:
            return order.rejection_reason or _("%s gave no reason.") % supplier
        if order.is_open and self.is_late:
            why = rules.why_late(queries.standing(order.vendor, self.now), order.problem)
            said = {"supplier": supplier, "why": WHY[why]}
            return _("%(supplier)s was not asked in time: %(why)s.") % said + _after(order.problem)
        if order.problem:
            return _("The last look told nothing: %s") % order.problem
        if order.state == rules.PENDING:
            return _("%s has not decided yet. It is asked every hour, and when it calls.") % supplier
        if order.state == rules.ACCEPTED:
            return self._why_accepted()
        return ""

    def _why_placing(self) -> str:
        command = self.command
        if command and (held := sync.hold(self.order.connection)):
            return _("It is not sent: %s") % held
        if command and command.attempts:
            return (
                _("Nobody knows yet whether it arrived; it is sent again under the same reference. %s") % command.reason
            )
        return _("It is on its way to %s.") % self.order.vendor.name

    def _why_accepted(self) -> str:
        missing = self.order.tickets_expected - self.fetched
        if missing > 0 or not self.tickets:
            number = max(missing, 1)
            return ngettext(
                "%(n)s ticket is not there yet. It is asked for every ten minutes.",
                "%(n)s tickets are not there yet. They are asked for every ten minutes.",
                number,
            ) % {"n": number}
        return _("All its tickets are here.")

    @cached_property
    def timeline(self) -> Sequence[Event]:
        """Moves, deliveries and looks together, the newest first."""
        found = [*self._moves(), *self._deliveries(), *self._looks()]
        return sorted(found, key=lambda event: event.at, reverse=True)[:MOST_EVENTS]

    def _moves(self) -> list[Event]:
        """Those that a look found stand in its own line."""
        told = self.order.moves.filter(reconciliation=None)
        return [_move(one, self.order) for one in told.order_by("-pk")[:MOST_EVENTS]]

    def _deliveries(self) -> list[Event]:
        of = Delivery.objects.filter(vendor=self.order.vendor_id, reference=self.order.reference)
        slug = self.order.organization.slug
        return [
            Event(
                one.received_at, "info", "webhook",
                _("%(supplier)s said %(event)s") % {"supplier": self.order.vendor.name, "event": one.event or "–"},
                str(one.get_outcome_display()), reverse("webhooks:detail", args=[slug, one.pk]),
            )
            for one in of.defer("body", "headers").order_by("-received_at")[:MOST_EVENTS]
        ]  # fmt: skip

    def _looks(self) -> list[Event]:
        of = Reconciliation.objects.filter(vendor=self.order.vendor_id, reference=self.order.reference)
        moves = self.order.moves.exclude(reconciliation=None).order_by("-pk")[:MOST_EVENTS]
        by_look = {one.reconciliation_id: one for one in moves}
        return [_look(one, by_look.get(one.pk)) for one in of.order_by("-pk")[:MOST_EVENTS]]


def _after(problem: str) -> str:
    return f" {problem}" if problem else ""


def _move(one: OrderMove, order: Order) -> Event:
    level, icon = LOOKS.get(one.after, ("mute", "help-circle"))
    if not one.before:
        return Event(one.at, level, "plus", _("Placed"), _("by %s") % order.by_name)
    title = f"{state_word(one.before)} → {state_word(one.after)}"
    text = str(MoveCause(one.cause).label)
    if one.is_unexpected:
        text = f"{text} · " + _("not a move that was to be expected")
    return Event(one.at, level, icon, title, text)


def _look(one: Reconciliation, move: OrderMove | None) -> Event:
    """What changed is its title; the rest says how that was found."""
    level, icon = FOUND_LOOKS[Found(one.outcome)]
    if move:
        level, icon = LOOKS.get(move.after, (level, icon))
    changed = changes(one)
    title = changed[:1].upper() + changed[1:] if changed else str(one.get_outcome_display())
    parts = [str(Cause(one.cause).label) + (f", {one.by_name}" if one.by_name else ""), one.reason]
    if move and move.is_unexpected:
        parts.append(_("not a move that was to be expected"))
    if one.times > 1:
        parts.append(ngettext("%(n)s time", "%(n)s times", one.times) % {"n": one.times})
    if one.missed:
        parts.append(_("no delivery had told of it"))
    if one.status:
        parts.append(_("%(status)s in %(ms)s ms") % {"status": one.status, "ms": one.took})
    return Event(one.finished_at, level, icon, title, " · ".join(filter(None, parts)))
