"""The page behind an event's `url`: what a guest may know of it, without signing in."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from servers.event_api import queries, shapes
from servers.event_api.models import Event, TicketClass
from servers.event_api.money import decimals
from servers.kit import clock
from servers.kit.ids import is_id

SHOWN = (Event.Status.ACTIVE, Event.Status.CANCELLED)


@dataclass(frozen=True)
class Offer:
    ticket_class: TicketClass
    price: str
    sold_out: bool


@require_safe
def event(request: HttpRequest, event_id: str) -> HttpResponse:
    if not is_id(event_id):
        raise Http404
    found = get_object_or_404(Event.objects.select_related("organization"), pk=event_id, status__in=SHOWN)
    status = shapes.event_status(found, clock.now())
    return render(request, "console/event.html", {"event": found, "status": status, "offers": _offers(found)})


def _offers(event: Event) -> list[Offer]:
    classes = event.ticket_classes.filter(status=TicketClass.Status.ACTIVE, hide_on_event_page=False)
    rows = list(classes.order_by("created_at", "id"))
    taken = queries.sold_by("ticket_class", [row.pk for row in rows])
    return [
        Offer(row, _price(row), bool(row.quantity_total) and taken.get(row.pk, 0) >= row.quantity_total) for row in rows
    ]


def _price(row: TicketClass) -> str:
    """Empty where it is free."""
    return f"{row.cost:,.{decimals(row.currency)}f} {row.currency}" if row.cost else ""
