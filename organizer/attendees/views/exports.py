"""A list of guests as a file, and on paper. Whoever may read a list may take it along; the audit trail says so."""

from uuid import UUID

from django.http import Http404, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_GET, require_safe

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.attendees import exports, queries
from organizer.attendees.filters import Filters
from organizer.attendees.queries import Scope
from organizer.attendees.views.lists import asked_event
from organizer.events.queries import load_event
from organizer.kit.exports import KINDS, response
from organizer.kit.pages import page


@requires(*READERS)
@require_GET
def export(request: OrganizationRequest, file: str) -> HttpResponseBase:
    return _list(request, Scope(request.organization), file)


@requires(*READERS)
@require_GET
def export_for_event(request: OrganizationRequest, event_id: UUID, file: str) -> HttpResponseBase:
    return _list(request, Scope(request.organization, load_event(request.organization, event_id)), file)


@requires(*READERS)
@require_GET
def export_approvals(request: OrganizationRequest, file: str) -> HttpResponseBase:
    if file not in KINDS:
        raise Http404
    return response(exports.of_approvals(request.organization, asked_event(request), by=request.user), file)


@requires(*READERS)
@require_safe
def paper(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    filters = Filters.read(request.GET)
    context = {
        "event": event,
        "filters": filters,
        "paper": exports.paper(event, filters),
        "classes": queries.classes(event) if filters.classes else [],
    }
    return page(request, "attendees/paper.html", context)


def _list(request: OrganizationRequest, scope: Scope, file: str) -> HttpResponseBase:
    if file not in KINDS:
        raise Http404
    return response(exports.of_list(scope, Filters.read(request.GET, scope.list), by=request.user), file)
