from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from organizer.accounts.access import READERS, OrganizationRequest, public, requires
from organizer.connections.models import Service
from organizer.connections.queries import live
from organizer.events import calendar as calendars
from organizer.events import feeds, queries
from organizer.kit.calendars import day_named
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
    day = day_named(request.GET.get("day", ""))
    context = {
        "events": queries.event_list(request.organization, tab=tab, q=q, cursor=request.GET.get("after", ""), day=day),
        "day": day,
        "connected": connection is not None,
        "freshness": sync.show(request.organization, "events", connection=connection),
        "tab": tab,
        "q": q,
    }
    return page(request, "events/index.html", context, partials={"event-list"})


@requires(*READERS)
@require_safe
def calendar(request: OrganizationRequest) -> HttpResponse:
    connection = live(request.organization, Service.EVENTS)
    month, week = request.GET.get("month", ""), request.GET.get("week", "")
    context = {
        "calendar": calendars.calendar(request.organization, month=month, week=week),
        "connected": connection is not None,
        "freshness": sync.show(request.organization, "events", connection=connection),
    }
    return page(request, "events/calendar.html", context, partials={"calendar"})


@requires(*READERS)
@require_safe
def detail(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    scope = event.remote_id or ""
    sync.show(request.organization, "ticket_classes", scope, connection=event.connection)
    row = queries.row(event)
    context = {
        "event": event,
        "row": row,
        "keeps_messages": row.is_open,  # this page is loaded again as soon as the API has answered
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


@requires(*READERS)
@require_safe
def feed(request: OrganizationRequest) -> HttpResponse:
    return _feed(request)


@requires(*READERS)
@require_POST
def new_feed(request: OrganizationRequest) -> HttpResponse:
    """The answer shows the address, which nothing else ever will: it is not kept, and so not redirected to."""
    return _feed(request, feeds.make(membership=request.membership, by=request.user))


@requires(*READERS)
@require_POST
def end_feed(request: OrganizationRequest) -> HttpResponse:
    if feeds.end(membership=request.membership, by=request.user):
        messages.success(request, _("The address is switched off. Calendars that have it find nothing there any more."))
    return redirect("events:feed", request.organization.slug)


@public
@require_safe
def ics(request: HttpRequest, token: str) -> HttpResponse:
    """For calendar programs, which have no session: whoever has the address may read."""
    membership = feeds.find(token)
    if membership is None:
        raise Http404
    entries = feeds.entries(membership.organization)
    tag = quote_etag(feeds.tag(membership.organization, entries))
    answer = get_conditional_response(request, etag=tag) or HttpResponse(
        feeds.text(membership.organization, entries, page=request.build_absolute_uri),
        content_type="text/calendar; charset=utf-8",
    )
    answer["ETag"] = tag
    answer["Cache-Control"] = "private, no-cache"
    answer["X-Robots-Tag"] = "none"
    answer["Content-Disposition"] = f'inline; filename="{membership.organization.slug}.ics"'
    return answer


def _feed(request: OrganizationRequest, token: str = "") -> HttpResponse:
    address = request.build_absolute_uri(reverse("ics", args=[token])) if token else ""
    context = {
        "feed": feeds.of(request.membership),
        "address": address,
        "webcal": f"webcal:{address.partition(':')[2]}" if address else "",
    }
    return page(request, "events/feed.html", context)
