"""The lists of guests, and a guest's own page."""

from dataclasses import replace
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import resolve_url
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.attendees import history, messages, queries, rules, waiting
from organizer.attendees.filters import Filters
from organizer.attendees.queries import Scope
from organizer.attendees.rows import APPROVALS, EVENT, EVERYBODY, GuestRow
from organizer.attendees.views.decisions import notifies
from organizer.events.models import Event
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
def approvals(request: OrganizationRequest) -> HttpResponse:
    """Who waits for an answer, at all events or one of them."""
    event = load_event(request.organization, _event_id(request)) if "event" in request.GET else None
    total, tabs = waiting.tabs(request.organization, event)
    context = {
        "event": event,
        "total": total,
        "found": next((tab.count for tab in tabs if tab.current), total),
        "tabs": tabs,
        "guests": waiting.guests(request.organization, event, request.GET.get("after", "")),
        "freshness": sync.show(request.organization, "attendees" if event else "events", _scope(event)),
        "noun": "attendees" if event else "events",
        "scope": _scope(event),
        "nav": "approvals",
    }
    return page(request, "attendees/approvals.html", context | _of_list(request, APPROVALS), partials={"guest-list"})


@requires(*READERS)
@require_safe
def card(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    """The guest under the cursor, beside the list of those who wait."""
    guest = queries.guest(request.organization, attendee_id)
    if guest is None:
        raise Http404
    context = {
        "guest": guest,
        "row": GuestRow(guest, APPROVALS),
        "card": queries.card(guest),
        "history": history.of_guest(guest),
    }
    return page(request, "attendees/card.html", context)


@requires(*READERS)
@require_safe
def detail(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    guest = queries.guest(request.organization, attendee_id)
    if guest is None:
        raise Http404
    scope = guest.event.remote_id or ""
    context = {
        "guest": guest,
        "row": GuestRow(guest),
        "history": history.of_guest(guest),
        "notifies": notifies(request),
        "templates": messages.templates(request.organization),
        "others": queries.other_tickets(guest),
        "freshness": sync.show(request.organization, "attendees", scope, connection=guest.event.connection),
        "scope": scope,
    }
    return page(request, "attendees/detail.html", context)


def _list(request: OrganizationRequest, scope: Scope) -> HttpResponse:
    filters, event = Filters.read(request.GET), scope.event
    if event is None:
        filters = replace(filters, sort="")  # all guests have one order only: no index holds another
    remote_id = _scope(event)
    noun = "attendees" if event else "events"
    tabs, guests = queries.tabs(scope, filters), queries.guest_list(scope, filters, request.GET.get("after", ""))
    context = {
        "event": event,
        "filters": filters,
        "odd_address": filters.address(odd=not filters.odd),
        "by_name": filters.address(sort="name"),
        "by_checked_in": filters.address(sort="checked_in"),
        "by_age": filters.address(sort=""),
        "tabs": tabs,
        "guests": guests,
        "found": queries.how_many(guests, filters, tabs),
        "classes": SimpleLazyObject(lambda: queries.classes(event)) if event else [],
        "freshness": sync.show(request.organization, noun, remote_id, connection=event.connection if event else None),
        "noun": noun,
        "scope": remote_id,
        "nav": "events" if event else "attendees",
    } | _of_list(request, EVENT if event else EVERYBODY)
    return page(request, "attendees/index.html", context, partials={"guest-list"})


def _of_list(request: OrganizationRequest, name: str) -> dict[str, object]:
    """What every list of guests needs for its decisions."""
    return {
        "here": request.path,
        "guests_url": resolve_url("attendees:index", request.organization.slug),
        "list": name,
        "decisions": rules.DECISIONS,
        "notifies": notifies(request),
        "templates": SimpleLazyObject(lambda: messages.templates(request.organization)),
    }


def _scope(event: Event | None) -> str:
    return (event.remote_id or "") if event else ""


def _event_id(request: OrganizationRequest) -> UUID:
    try:
        return UUID(request.GET["event"])
    except ValueError:
        raise Http404 from None
