"""Reads that several nouns need. What belongs to another organization is not found, like what never was."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Q, QuerySet

from servers.event_api.errors import not_found
from servers.event_api.models import Attendee, Event, TicketClass
from servers.event_api.rules import SOLD
from servers.kit.ids import is_id
from servers.organizations.models import ApiKey

_COLUMNS = [field.attname for field in Attendee._meta.concrete_fields]


def event(key: ApiKey, event_id: str, *, writing: bool = False) -> Event:
    """An event of the key's organization; a deleted one only for reading."""
    found = is_id(event_id) and Event.objects.filter(pk=event_id, organization=key.organization_id).first()
    if not found or (writing and found.status == Event.Status.DELETED):
        raise not_found("Event")
    return found


def ticket_class(of: Event, class_id: str, *, active: bool = False) -> TicketClass:
    found = is_id(class_id) and of.ticket_classes.filter(pk=class_id).first()
    if not found or (active and found.status == TicketClass.Status.DELETED):
        raise not_found("Ticket class")
    return found


def attendee(of: Event, attendee_id: str) -> Attendee:
    found = is_id(attendee_id) and of.attendees.select_related("ticket_class").filter(pk=attendee_id).first()
    if not found:
        raise not_found("Attendee")
    return found


def attendees(ids: list[str]) -> list[tuple[Any, str]]:
    """In the order of the ids, each with the name of its class: rows as tuples, since a sweep reads thousands."""
    found = {row.id: row for row in Attendee.objects.filter(pk__in=ids).values_list(*_COLUMNS, named=True)}
    rows = [found[key] for key in ids]
    # a handful of classes, read once: joining them would read one for each row
    names = dict(TicketClass.objects.filter(pk__in={row.ticket_class_id for row in rows}).values_list("pk", "name"))
    return [(row, names[row.ticket_class_id]) for row in rows]


def sold(attendees: QuerySet[Attendee]) -> int:
    return attendees.filter(status__in=SOLD).count()


def sold_by(field: str, ids: Iterable[str]) -> dict[str, int]:
    """How many seats are taken, by event or by ticket class."""
    # one count per status and id would be as many queries; the index answers this from itself
    rows: QuerySet[Any, Any] = Attendee.objects.filter(**{f"{field}__in": list(ids)}, status__in=SOLD)
    return dict(rows.values_list(field).order_by().annotate(taken=Count("pk")))


def paid(attendees: QuerySet[Attendee]) -> int:
    return attendees.filter(~Q(payment_id=None), status__in=SOLD).count()
