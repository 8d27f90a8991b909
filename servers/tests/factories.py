"""Rows for tests: keyword functions with visible defaults."""

from datetime import UTC, datetime
from typing import Any

from servers.event_api.models import Attendee, Contact, Event, TicketClass
from servers.organizations.models import Organization

START = datetime(2030, 6, 1, 18, tzinfo=UTC)
END = datetime(2030, 6, 1, 22, tzinfo=UTC)


def event(organization: Organization, **fields: Any) -> Event:
    return Event.objects.create(
        **{"organization": organization, "name": "Gala", "start_at": START, "end_at": END} | fields
    )


def ticket_class(event: Event, **fields: Any) -> TicketClass:
    return TicketClass.objects.create(**{"event": event, "name": "Regular"} | fields)


def attendee(ticket_class: TicketClass, status: str = "valid", **fields: Any) -> Attendee:
    email = fields.pop("email", "guest@example.com")
    contact, _ = Contact.objects.get_or_create(organization_id=ticket_class.event.organization_id, email=email)
    known = {"event": ticket_class.event, "ticket_class": ticket_class, "contact": contact, "email": email}
    return Attendee.objects.create(**known | {"status": status, "first_name": "Ada"} | fields)


def attendees(ticket_class: TicketClass, count: int, status: str = "valid") -> list[Attendee]:
    event = ticket_class.event
    return Attendee.objects.bulk_create(
        Attendee(event=event, ticket_class=ticket_class, status=status, email=f"guest{n}@example.com")
        for n in range(count)
    )
