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
from organizer.attendees.queries import Counted, Scope
from organizer.attendees.rows import GuestRow
from organizer.attendees.waiting import Waiting
from organizer.events.models import Event
from organizer.events.queries import load_event
from organizer.kit.exports import KINDS
from organizer.kit.pages import page
from organizer.lists import queries as lists
from organizer.lists.queries import Views
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
    scope = Waiting(request.organization, asked_event(request))
    filters = Filters.read(request.GET, APPROVALS)
    views = _views(request, scope, filters)
    if first := _opens_with(request, views, filters):
        return first
    tabs = waiting.tabs(request.organization, scope.event, filters)
    context = _of_list(request, scope, filters, views, tabs)
    return page(request, "attendees/approvals.html", context | {"nav": "approvals"}, partials={"guest-list"})


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
        "templates": messages.templates(request.organization),
        "others": queries.other_tickets(guest),
        "freshness": sync.show(request.organization, "attendees", scope, connection=guest.event.connection),
        "scope": scope,
    }
    return page(request, "attendees/detail.html", context)


def _list(request: OrganizationRequest, scope: Scope) -> HttpResponse:
    filters, event = Filters.read(request.GET, scope.list), scope.event
    views = _views(request, scope, filters)
    if first := _opens_with(request, views, filters):
        return first
    context = _of_list(request, scope, filters, views, queries.tabs(scope, filters)) | {
        "by_name": filters.address(sort="name"),
        "by_checked_in": filters.address(sort="checked_in"),
        "by_age": filters.address(sort=""),
        "shows_arrival": "checked_in" in (filters.columns or columns.USUAL[scope.list]),
        "on_paper": event is not None,
        "nav": "events" if event else "attendees",
    }
    return page(request, "attendees/index.html", context, partials={"guest-list"})


def _opens_with(request: OrganizationRequest, views: Views, filters: Filters) -> HttpResponse | None:
    """The person's own view of a list whose address asks for nothing."""
    asks = request.GET.keys() - {"event"} if filters.event else request.GET
    if views.first and not asks and not request.htmx:  # type: ignore[attr-defined]
        return redirect(request.path + views.first)
    return None


def _views(request: OrganizationRequest, scope: Scope, filters: Filters) -> Views:
    about = str(scope.event.pk) if scope.event else ""
    return lists.views(request.membership, listings.NAMES[scope.list], about, filters.address())


def _of_list(
    request: OrganizationRequest, scope: Scope, filters: Filters, views: Views, tabs: Sequence[Counted]
) -> dict[str, object]:
    """What every list of guests shows, and needs for its decisions."""
    event, organization = scope.event, request.organization
    remote_id, noun = _scope(event), "attendees" if event else "events"
    guests = queries.guest_list(scope, filters, request.GET.get("after", ""))
    return {
        "event": event,
        "filters": filters,
        "odd_address": filters.address(odd=not filters.odd),
        "tabs": tabs,
        "views": views,
        "columns": columns.shown(filters.columns, scope.list),
        "offered": columns.offered(scope.list),
        "guests": guests,
        "found": queries.how_many(guests, filters, tabs),
        "classes": SimpleLazyObject(lambda: queries.classes(event)) if event else [],
        "freshness": sync.show(organization, noun, remote_id, connection=event.connection if event else None),
        "noun": noun,
        "scope": remote_id,
        "exports": _exports(filters.pairs()),
        "here": request.path,
        "guests_url": resolve_url("attendees:index", organization.slug),
        "list": scope.list,
        "decisions": rules.DECISIONS,
        "templates": SimpleLazyObject(lambda: messages.templates(organization)),
    }


def _exports(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The query string of each kind of file, for a list with this one."""
    return {kind: "?" + urlencode([*pairs, ("as", kind)]) for kind in KINDS}


def _scope(event: Event | None) -> str:
    return (event.remote_id or "") if event else ""


def asked_event(request: OrganizationRequest) -> Event | None:
    """The one that approvals are looked at for; None for all, and for what is no id."""
    asked = Filters.read(request.GET, APPROVALS).event
    return load_event(request.organization, asked) if asked else None
