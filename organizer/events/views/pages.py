from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.connections.models import Service
from organizer.connections.queries import live
from organizer.events import queries
from organizer.kit.pages import page
from organizer.kit.text import clean
from organizer.sync import actions as sync

LONGEST_SEARCH = 100


@requires(*READERS)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    connection = live(request.organization, Service.EVENTS)
    q = clean(request.GET.get("q", "")).strip()[:LONGEST_SEARCH]
    tab = request.GET.get("tab", "")
    tab = tab if tab in queries.TABS else ""
    context = {
        "events": queries.event_list(request.organization, tab=tab, q=q, cursor=request.GET.get("after", "")),
        "connected": connection is not None,
        "freshness": sync.show(request.organization, "events", connection=connection),
        "tab": tab,
        "q": q,
    }
    return page(request, "events/index.html", context, partials={"event-list"})


@requires(*READERS)
@require_safe
def detail(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    scope = event.remote_id or ""
    sync.show(request.organization, "ticket_classes", scope, connection=event.connection)
    context = {
        "event": event,
        "row": queries.row(event),
        "classes": queries.class_rows(event),
        "freshness": sync.show(request.organization, "attendees", scope, connection=event.connection),
        "scope": scope,
    }
    return page(request, "events/detail.html", context, partials={"event-guests", "event-classes"})


@requires(*READERS)
@require_safe
def ticket_classes(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    scope = event.remote_id or ""
    context: dict[str, Any] = {
        "event": event,
        "row": queries.row(event),
        "classes": queries.class_rows(event),
        "freshness": sync.show(request.organization, "ticket_classes", scope, connection=event.connection),
        "scope": scope,
    }
    context["any_open"] = any(one.is_open for one in context["classes"])
    return page(request, "events/ticket_classes.html", context, partials={"class-table"})
