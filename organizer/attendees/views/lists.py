"""The lists of guests, and a guest's own page."""

from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.attendees import columns, history, listings, messages, queries, rules, waiting
from organizer.attendees.columns import APPROVALS
from organizer.attendees.filters import Filters
from organizer.attendees.queries import Scope
from organizer.attendees.rows import GuestRow
from organizer.attendees.views.decisions import notifies
from organizer.events.models import Event
from organizer.events.queries import load_event
from organizer.kit.exports import KINDS
from organizer.kit.pages import page
from organizer.lists import queries as lists
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
    event = asked_event(request)
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
        "exports": _exports([("event", str(event.pk))] if event else []),
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
    filters, event = Filters.read(request.GET, scope.list), scope.event
    views = lists.views(
        request.membership, listings.NAMES[scope.list], str(event.pk) if event else "", filters.address()
    )
    if views.first and not request.GET and not request.htmx:  # type: ignore[attr-defined]
        return redirect(request.path + views.first)
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
        "views": views,
        "columns": columns.shown(filters.columns, scope.list),
        "shows_arrival": "checked_in" in (filters.columns or columns.USUAL[scope.list]),
        "offered": columns.offered(scope.list),
        "guests": guests,
        "found": queries.how_many(guests, filters, tabs),
        "classes": SimpleLazyObject(lambda: queries.classes(event)) if event else [],
        "freshness": sync.show(request.organization, noun, remote_id, connection=event.connection if event else None),
        "noun": noun,
        "scope": remote_id,
        "exports": _exports(filters.pairs()),
        "on_paper": event is not None,
        "nav": "events" if event else "attendees",
    } | _of_list(request, scope.list)
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


def _exports(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The query string of each kind of file, for a list with this one."""
    return {kind: "?" + urlencode([*pairs, ("as", kind)]) for kind in KINDS}


def _scope(event: Event | None) -> str:
    return (event.remote_id or "") if event else ""


def asked_event(request: OrganizationRequest) -> Event | None:
    """The one that approvals are looked at for; None for all."""
    if "event" not in request.GET:
        return None
    try:
        return load_event(request.organization, UUID(request.GET["event"]))
    except ValueError:
        raise Http404 from None
