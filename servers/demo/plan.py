"""Decides who goes where with which status. Pure: the same number of guests gives the same plan, down to each id."""

import base64
import hashlib
import math
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from random import Random

from servers.demo import people
from servers.demo.events import EVENTS, EventPlan, TicketClassPlan

SEED = 20261121
# no code has a letter that a person reads two ways
CROCKFORD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"0123456789ABCDEFGHJKMNPQRSTVWXYZ")
SEATED = ("valid", "checked_in")


@dataclass(frozen=True, slots=True)
class Upgrade:
    from_class: str
    to_class: str
    status: str
    held: str
    """The id of the ticket that the guest has, and gives up for this one."""


@dataclass(frozen=True, slots=True)
class Guest:
    id: str
    person: people.Person
    class_key: str
    status: str
    barcode: str
    registered: timedelta
    """From the event's start, always negative."""
    checked_in: timedelta | None
    paid: bool
    upgrade: Upgrade | None = None


@dataclass(frozen=True, slots=True)
class EventGuests:
    event: EventPlan
    guests: tuple[Guest, ...]

    def seated(self, class_key: str) -> int:
        return sum(guest.class_key == class_key and guest.status in SEATED for guest in self.guests)

    def seats(self, ticket_class: TicketClassPlan) -> int:
        """The class's `quantity_total`; 0 is unlimited."""
        if ticket_class.seats == "unlimited":
            return 0
        seated = self.seated(ticket_class.key)
        return max(seated, 1) if ticket_class.seats == "full" else _roomy(seated)

    def capacity(self) -> int:
        """Of the event; 0, unlimited, as soon as one of its classes is."""
        seats = [self.seats(ticket_class) for ticket_class in self.event.classes]
        return sum(seats) if all(seats) else 0


def make_id(*parts: str) -> str:
    """20 letters and digits, as the servers' own ids."""
    return base64.b64encode(_digest(15, *parts), altchars=b"Aa").decode()


def make_barcode(*parts: str) -> str:
    return base64.b32encode(_digest(10, "barcode", *parts))[:12].translate(CROCKFORD).decode()


def make(attendees: int) -> Iterator[EventGuests]:
    """One event at a time, so that a large demo need not be in memory whole."""
    random = Random(SEED)  # noqa: S311  # a demo, not a secret
    somebody = people.invent(random)
    counts = share(attendees, {event.key: event.weight for event in EVENTS})
    for event in EVENTS:
        slots = _slots(event, counts[event.key])
        random.shuffle(slots)
        named = zip(slots, islice(somebody, len(slots)), strict=True)
        guests = [_guest(random, event, number, *slot, person) for number, (slot, person) in enumerate(named)]
        yield EventGuests(event, tuple(_with_upgrades(event, guests)))


def share[K: Hashable](total: int, weights: dict[K, int]) -> dict[K, int]:
    """Splits `total` by weight into whole numbers that add up to it (largest remainder)."""
    whole = sum(weights.values())
    exact = {key: total * weight / whole for key, weight in weights.items()}
    counts = {key: math.floor(value) for key, value in exact.items()}
    by_remainder = sorted(weights, key=lambda key: counts[key] - exact[key])
    for key in by_remainder[: total - sum(counts.values())]:
        counts[key] += 1
    return counts


def _slots(event: EventPlan, count: int) -> list[tuple[TicketClassPlan, str]]:
    weights = {
        (number, status): ticket_class.weight * weight * 100 // sum(ticket_class.mix.values())
        for number, ticket_class in enumerate(event.classes)
        for status, weight in ticket_class.mix.items()
    }
    counts = share(count, weights)
    return [(event.classes[number], status) for (number, status), n in counts.items() for _ in range(n)]


def _guest(
    random: Random, event: EventPlan, number: int, ticket_class: TicketClassPlan, status: str, person: people.Person
) -> Guest:
    key = f"{event.key}/{number}"
    return Guest(
        id=make_id("attendee", key),
        person=person,
        class_key=ticket_class.key,
        status=status,
        barcode=make_barcode(key),
        registered=_registered(random, event),
        checked_in=_arrival(random) if status == "checked_in" else None,
        paid=ticket_class.cost > 0 and status != "invited",
    )


def _registered(random: Random, event: EventPlan) -> timedelta:
    """More towards the end, never later than yesterday as seen from today."""
    hour = int(event.starts[:2])
    latest = timedelta(days=max(event.day, 0), hours=hour + 3)
    earliest = timedelta(days=max(event.lead, event.day + 10))
    spread = (earliest - latest) * random.random() ** 1.7
    return -timedelta(seconds=int((latest + spread).total_seconds()))


def _arrival(random: Random) -> timedelta:
    """Around the start: most come between doors and the first half hour."""
    minutes = min(max(random.gauss(-12, 24), -60), 110)
    return timedelta(seconds=int(minutes * 60))


def _with_upgrades(event: EventPlan, guests: list[Guest]) -> Iterator[Guest]:
    """At the supper: one upgrade was cancelled (approving that guest is refused), some wait, some were done."""
    if event.key != "next-week":
        return iter(guests)
    places: dict[tuple[str, str], list[Guest]] = defaultdict(list)
    for guest in guests:
        places[guest.class_key, guest.status].append(guest)
    waiting = zip(places["supper", "pending_approval"][::10], places["supper", "valid"], strict=False)
    done = zip(places["kitchen", "valid"][::5], places["supper", "deleted"], strict=False)
    changed = {
        guest.id: _upgraded(guest, held, "pending" if number else "cancelled")
        for number, (guest, held) in enumerate(waiting)
    } | {guest.id: _upgraded(guest, held, "done") for guest, held in done}
    return (changed.get(guest.id, guest) for guest in guests)


def _upgraded(guest: Guest, held: Guest, status: str) -> Guest:
    """The same person's second ticket, asked for after the first."""
    return replace(
        guest,
        person=held.person,
        registered=max(guest.registered, held.registered),
        upgrade=Upgrade("supper", "kitchen", status, held.id),
    )


def _roomy(taken: int) -> int:
    """A tidy number with at least a seventh of the seats left."""
    step = 10 if taken < 200 else 50
    return math.ceil((taken * 7 / 6 + 1) / step) * step


def _digest(size: int, *parts: str) -> bytes:
    return hashlib.blake2b("\0".join(("foyer-demo", *parts)).encode(), digest_size=size).digest()
