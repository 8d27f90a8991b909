from dataclasses import replace
from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.attendees import queries
from organizer.attendees.filters import Filters
from organizer.attendees.queries import Scope
from organizer.events.queries import load_event
from organizer.kit.pages import page
from organizer.sync import actions as sync


@requires(*READERS)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    return _list(request, Scope(request.organization))


@requires(*READERS)
@require_safe
def for_event(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    return _list(request, Scope(request.organization, event))


@requires(*READERS)
@require_safe
def detail(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    guest = queries.guest(request.organization, attendee_id)
    if guest is None:
        raise Http404
    scope = guest.event.remote_id or ""
    context = {
        "guest": guest,
        "row": queries.GuestRow(guest, 0),
        "others": queries.other_tickets(guest),
        "freshness": sync.show(request.organization, "attendees", scope, connection=guest.event.connection),
        "scope": scope,
    }
    return page(request, "attendees/detail.html", context)


def _list(request: OrganizationRequest, scope: Scope) -> HttpResponse:
    filters, event = Filters.read(request.GET), scope.event
    if event is None:
        filters = replace(filters, sort="")  # all guests have one order only: no index holds another
    remote_id = (event.remote_id or "") if event else ""
    noun = "attendees" if event else "events"
    context = {
        "event": event,
        "filters": filters,
        "odd_address": filters.address(odd=not filters.odd),
        "by_name": filters.address(sort="name"),
        "by_checked_in": filters.address(sort="checked_in"),
        "by_age": filters.address(sort=""),
        "tabs": queries.tabs(scope, filters),
        "guests": queries.guest_list(scope, filters, request.GET.get("after", "")),
        "classes": SimpleLazyObject(lambda: queries.classes(event)) if event else [],
        "freshness": sync.show(request.organization, noun, remote_id, connection=event.connection if event else None),
        "noun": noun,
        "scope": remote_id,
        "here": request.path,
        "nav": "events" if event else "attendees",
    }
    return page(request, "attendees/index.html", context, partials={"guest-list"})
