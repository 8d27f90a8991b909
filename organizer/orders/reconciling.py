"""The one way in which an order's state comes from its supplier: it is asked, whoever wants to know.

A delivery wakes, the schedule wants its checks, a person presses a button; each is a `Wake`, and one look answers all
that wait for the same order. No transaction is open while the supplier is asked.
"""

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.connections import actions as connections
from organizer.connections.models import Health
from organizer.kit.text import clean
from organizer.orders import bulks, findings, fulfilments, gate, rules, wakes
from organizer.orders.findings import Finding
from organizer.orders.models import Order, Ticket, Wake
from organizer.sync.models import Command
from organizer.sync.models import State as Sending
from organizer.upstream.errors import (
    Broken,
    Forbidden,
    KeyRefused,
    Limited,
    NotFound,
    NotYet,
    Refused,
    Unreachable,
    UpstreamError,
)
from organizer.upstream.supplier_api import Order as Answered
from organizer.upstream.supplier_api import SupplierApi
from organizer.webhooks import settling as deliveries
from organizer.webhooks.models import Cause, Found, Vendor

log = logging.getLogger(__name__)

BEING_PLACED = timedelta(seconds=1)
FILES_AT_A_TIME = 20
AFTER_A_BUG = timedelta(seconds=60)


@dataclass
class Reconciler:
    """Asks one supplier. `open_api` gives a client of it."""

    vendor: Vendor
    open_api: Callable[[], SupplierApi]
    holder: str
    now: Callable[[], datetime] = timezone.now
    sleep: Callable[[float], None] = time.sleep
    luck: Callable[[], float] = random.random

    def step(self) -> bool:
        """One order; False where there is nothing to do that may be done now."""
        now = self.now()
        wakes.gather_deliveries(self.vendor, now)
        state = gate.of(self.vendor, now)
        if not gate.is_open(state, now):
            return bool(bulks.read_again(self.vendor, now))
        hands = {"hands": gate.hands(state), "for_schedule": gate.for_schedule(state, now)}
        wake = wakes.claim(self.vendor, self.holder, now, **hands)
        if wake is None and self._gather(now):
            wake = wakes.claim(self.vendor, self.holder, now, **hands)
        if wake is None:
            return bool(bulks.read_again(self.vendor, now))
        try:
            self._look(wake)
        except Exception:
            # a bug of ours about one order: the others go on
            log.exception("%s of %s could not be reconciled", wake.reference, self.vendor.key)
            wakes.release(wake, self.now() + AFTER_A_BUG)
        return True

    def _gather(self, now: datetime) -> int:
        """What nobody waits for at this moment. What the schedule wants is not lined up while nobody may be asked: it
        is shown as late, with that for its reason.
        """
        lined_up = bulks.line_up(self.vendor, now)
        if self._may_not_ask():
            return lined_up
        return lined_up + wakes.gather_tickets(self.vendor, now) + wakes.gather_due(self.vendor, now)

    def _look(self, wake: Wake) -> None:
        wake.vendor = self.vendor
        order = Order.objects.filter(vendor=self.vendor, reference=wake.reference).first()
        upto = 0  # of the schedule's looks, which ask for what is due alone: what came meanwhile has one of its own
        if wake.cause != Cause.PERIODIC:
            upto = deliveries.last_waiting(self.vendor.pk, wake.reference, again=wake.cause == Cause.PERSON)
        if order and _is_being_placed(order, self.now()):
            wakes.release(wake, self.now() + BEING_PLACED)
            return
        if order and wake.cause == Cause.PERIODIC and not _is_looked_for(order, self.now()):
            if self._fetch_some(wake, order):
                wakes.release(wake, self.now())
            else:
                wakes.mine(wake).delete()
            return
        found = Finding(started_at=self.now())
        try:
            self._find(wake, order, found)
        except gate.Closed as closed:
            wakes.release(wake, closed.until)
            return
        except (NotYet, Limited) as limit:
            wakes.release(wake, self.now() + min(timedelta(seconds=limit.wait), wakes.LONGEST_WAIT))
            return
        except UpstreamError as error:
            found.outcome, found.reason = Found.FAILED, error.message
            found.retry = not isinstance(error, KeyRefused)
        findings.write(wake, order, found, upto=upto, now=self.now(), luck=self.luck())
        if found.fulfilment and found.fulfilment.tickets:
            wakes.gather_tickets(self.vendor, self.now())

    def _find(self, wake: Wake, order: Order | None, found: Finding) -> None:
        """Only what is due, where the schedule asks; all of it, where somebody has a reason to ask."""
        if order is None:
            found.outcome, found.reason = Found.NO_MATCH, _("Foyer has no order with this reference.")
            return
        if why := self._may_not_ask():
            found.outcome, found.reason = Found.FAILED, why
            return
        now, periodic = self.now(), wake.cause == Cause.PERIODIC
        wants_state = not periodic or _is_due(order.state_due_at, now)
        wants_tickets = not periodic or _is_due(order.fulfilment_due_at, now)
        if wants_state and not self._find_order(order, found):
            return
        state = rules.state_of(found.order.status) if found.order else order.state
        remote_id = found.order.id if found.order else order.remote_id
        if not remote_id or not wants_tickets or not (periodic or _may_have_tickets(order, state)):
            return
        try:
            found.fulfilment = self._ask(lambda api: api.fulfilments.get(remote_id), found)
        except (gate.Closed, NotYet, Limited, UpstreamError) as error:
            if found.order is None:
                raise
            found.reason = _("Its tickets could not be read: %s") % getattr(error, "message", error)
            return
        if found.fulfilment.tickets and found.order is None and state == rules.PENDING:
            self._find_order(order, found)  # tickets of an order that nobody said was accepted

    def _find_order(self, order: Order, found: Finding) -> bool:
        found.asked_at = self.now()
        items: tuple[Answered, ...] = self._ask(lambda api: api.orders.find(order.reference), found)
        match rules.found([one.reference for one in items], order.reference):
            case rules.Found.ONE if not items[0].status:
                found.outcome, found.reason = Found.FAILED, _("It answered without saying how the order stands.")
            case rules.Found.ONE if _is_ours(order, items[0].id):
                found.order = items[0]
                return True
            case rules.Found.ONE:
                found.outcome, found.reason = (
                    Found.AMBIGUOUS,
                    _("It answered with an order that it knows by another id."),
                )
            case rules.Found.SEVERAL:
                found.outcome = Found.AMBIGUOUS
                found.reason = _("It answered with %d orders under this reference.") % len(items)
            case rules.Found.OTHER:
                found.outcome = Found.NO_MATCH
                found.reason = _("It answered with another reference: %s") % clean(items[0].reference)[:100]
            case rules.Found.NONE:
                found.outcome, found.reason = Found.NO_MATCH, _("The supplier does not know this reference.")
        return False

    def _may_not_ask(self) -> str:
        connection = self.vendor.connection
        if connection is None or not connection.live:
            return _("This supplier has no address for orders.")
        return _("The key for orders was refused.") if connection.health == Health.KEY_REFUSED else ""

    def _ask[T](self, ask: Callable[[SupplierApi], T], found: Finding | None = None) -> T:
        """In its turn; what comes of it is what is known of the supplier."""
        connection = self.vendor.connection
        assert connection  # noqa: S101 for mypy: `_may_not_ask` has seen it
        turn, wait = gate.take(self.vendor, self.now())
        if wait:
            self.sleep(wait)
        began, status = time.monotonic(), None
        try:
            answer = ask(self.open_api())
            status = 200
        except (NotYet, Limited):
            raise
        except UpstreamError as error:
            status = _status(error)
            if isinstance(error, Unreachable | Broken | Forbidden):
                gate.failed(self.vendor, error.message, self.now())
            elif isinstance(error, NotFound | Refused):
                gate.worked(turn, time.monotonic() - began, self.now())  # it answered, in the API's own words
            connections.note_failure(connection=connection, error=error)
            raise
        finally:
            if found:
                found.took, found.status = found.took + time.monotonic() - began, status
        gate.worked(turn, time.monotonic() - began, self.now())
        connections.note_success(connection=connection)
        return answer

    def _fetch_some(self, wake: Wake, order: Order) -> bool:
        """Whether there are more: other orders of this supplier have their turn between."""
        for _n in range(FILES_AT_A_TIME):
            ticket = fulfilments.next_to_fetch(order, self.now()) if wakes.renew(wake, self.now()) else None
            if ticket is None or not self._fetch(ticket):
                return False
        return True

    def _fetch(self, ticket: Ticket) -> bool:
        order_id = ticket.order.remote_id or ""
        if self._may_not_ask():
            fulfilments.not_fetched(ticket, self._may_not_ask(), self.now(), self.luck())
            return False
        try:
            file = self._ask(lambda api: api.fulfilments.file(order_id, ticket.remote_id))
        except gate.Closed as closed:
            fulfilments.postpone(ticket, closed.until)
            return False
        except (NotYet, Limited) as limit:
            fulfilments.postpone(ticket, self.now() + min(timedelta(seconds=limit.wait), wakes.LONGEST_WAIT))
            return False
        except UpstreamError as error:
            if isinstance(error, NotFound | Refused) and ticket.value:
                fulfilments.stored(ticket, None, self.now())
                return True
            fulfilments.not_fetched(ticket, error.message, self.now(), self.luck())
            return False
        try:
            fulfilments.stored(ticket, file, self.now())
        except fulfilments.NoRoom as problem:
            log.error("the file of ticket %s could not be stored: %s", ticket.pk, problem.__cause__)
            why = _("Its file could not be stored here. Is there room on the disk?")
            fulfilments.not_fetched(ticket, why, self.now(), self.luck())
            return False
        return True


def _is_being_placed(order: Order, now: datetime) -> bool:
    """Its own answer comes in a moment, and may be older than what would be read now."""
    placing = Command.objects.filter(noun="orders", target_id=order.pk, state=Sending.SENDING, until__gte=now)
    return order.remote_id is None and placing.exists()


def _is_ours(order: Order, remote_id: str) -> bool:
    if order.remote_id is not None:
        return order.remote_id == remote_id
    return not Order.objects.filter(connection=order.connection_id, remote_id=remote_id).exists()


def _may_have_tickets(order: Order, state: str) -> bool:
    return state in (rules.ACCEPTED, rules.FULFILLED) and (order.fulfilment_due_at is not None or state != order.state)


def _is_looked_for(order: Order, now: datetime) -> bool:
    return _is_due(order.state_due_at, now) or _is_due(order.fulfilment_due_at, now)


def _is_due(at: datetime | None, now: datetime) -> bool:
    return at is not None and at <= now


def _status(error: UpstreamError) -> int | None:
    match error:
        case Broken() | Refused():
            return error.status
        case KeyRefused():
            return 401
        case Forbidden():
            return 403
        case NotFound():
            return 404
    return None
