from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_GET

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.connections.models import Service
from organizer.connections.queries import live
from organizer.events import queries
from organizer.kit.pages import page
from organizer.kit.text import clean
from organizer.sync import actions as sync
from organizer.sync.queries import freshness

LONGEST_SEARCH = 100


@requires(*READERS)
@require_GET
def index(request: OrganizationRequest) -> HttpResponse:
    connection = live(request.organization, Service.EVENTS)
    if connection:
        sync.look(connection, "events")
    q = clean(request.GET.get("q", "")).strip()[:LONGEST_SEARCH]
    tab = request.GET.get("tab", "")
    tab = tab if tab in queries.TABS else ""
    context = {
        "events": queries.event_list(request.organization, tab=tab, q=q, cursor=request.GET.get("after", "")),
        "connected": connection is not None,
        "freshness": freshness(request.organization, "events", connection=connection),
        "tab": tab,
        "q": q,
    }
    return page(request, "events/index.html", context, partials={"event-list"})


@requires(*READERS)
@require_GET
def detail(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    scope = event.remote_id or ""
    for noun in ("ticket_classes", "attendees"):
        sync.look(event.connection, noun, scope)
    context = {
        "event": event,
        "row": queries.row(event),
        "classes": queries.class_rows(event),
        "freshness": freshness(request.organization, "attendees", scope, connection=event.connection),
        "scope": scope,
    }
    return page(request, "events/detail.html", context, partials={"event-guests"})


@requires(*READERS)
@require_GET
def ticket_classes(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    scope = event.remote_id or ""
    sync.look(event.connection, "ticket_classes", scope)
    context = {
        "event": event,
        "row": queries.row(event),
        "classes": queries.class_rows(event),
        "freshness": freshness(request.organization, "ticket_classes", scope, connection=event.connection),
        "scope": scope,
    }
    return page(request, "events/ticket_classes.html", context, partials={"class-table"})
