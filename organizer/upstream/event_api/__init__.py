"""The event API, noun by noun. Its contract is `/api/v1/openapi.json` of the event server."""

from organizer.upstream.event_api.attendees import Attendee, Attendees, Upgrade
from organizer.upstream.event_api.events import Event, Events, Venue
from organizer.upstream.event_api.ticket_classes import TicketClass, TicketClasses
from organizer.upstream.transport import Answer, Transport
from organizer.upstream.wire import Page

__all__ = ["Attendee", "Event", "EventApi", "Page", "TicketClass", "Upgrade", "Venue"]


class EventApi:
    def __init__(self, transport: Transport) -> None:
        self.events = Events(transport)
        self.ticket_classes = TicketClasses(transport)
        self.attendees = Attendees(transport)
        self._transport = transport

    def send(self, method: str, path: str, body: bytes | None, *, scope: str, idempotency_key: str) -> Answer:
        """A write that was worded before, byte for byte; `path` is below the API's address."""
        return self._transport.request(method, path, scope=scope, body=body, idempotency_key=idempotency_key)
