"""Finds out what a key may do, by reads and by changes of things that cannot exist. Nothing is ever changed."""

from collections.abc import Callable
from dataclasses import dataclass, field

from organizer.kit.ids import new_id
from organizer.upstream.errors import (
    Broken,
    Forbidden,
    InProgress,
    NotFound,
    Refused,
    ScopeMissing,
)
from organizer.upstream.event_api import EventApi, attendees, events, ticket_classes
from organizer.upstream.supplier_api import SupplierApi

GRANTED, DENIED, UNKNOWN = "granted", "denied", "unknown"
EVENT_SCOPES = (
    events.READ, ticket_classes.READ, attendees.READ, events.WRITE, ticket_classes.WRITE, attendees.WRITE,
)  # fmt: skip


ORDERS = "orders"


@dataclass(frozen=True)
class Findings:
    scopes: dict[str, str]
    events: tuple[str, ...] = field(default=())
    """The ids that the list of events begins with."""


def event_api(api: EventApi) -> Findings:
    """Raises what the first read raises, unless it is a scope that is missing."""
    seen: tuple[str, ...] = ()
    scopes = dict.fromkeys(EVENT_SCOPES, UNKNOWN)
    try:
        seen = tuple(event.id for event in api.events.page(1).items)
        scopes[events.READ] = GRANTED
    except ScopeMissing:
        scopes[events.READ] = DENIED
    nobody = f"foyer-tries-{new_id().hex}"
    some_event = seen[0] if seen else nobody
    tries: dict[str, Callable[[], object]] = {
        ticket_classes.READ: lambda: api.ticket_classes.page(some_event, 1, size=1),
        attendees.READ: lambda: api.attendees.page(some_event, 1, size=1, status="valid"),
        events.WRITE: lambda: api.events.update(nobody, {"name": "Foyer"}, idempotency_key=nobody),
        ticket_classes.WRITE: lambda: api.ticket_classes.update(
            nobody, nobody, {"name": "Foyer"}, idempotency_key=nobody
        ),
        attendees.WRITE: lambda: api.attendees.update(nobody, nobody, {"status": "valid"}, idempotency_key=nobody),
    }
    for scope, attempt in tries.items():
        scopes[scope] = _outcome(attempt)
    return Findings(scopes, seen)


def supplier_api(api: SupplierApi) -> Findings:
    """A supplier's key has no scopes: who may see what is sold may order it."""
    api.listings.page("", 1)
    return Findings({ORDERS: GRANTED})


def _outcome(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except ScopeMissing:
        return DENIED
    except NotFound:
        return GRANTED
    except (Broken, Forbidden, InProgress, Refused):
        return UNKNOWN
    return GRANTED
