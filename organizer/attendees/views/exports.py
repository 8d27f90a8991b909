"""A list of guests as a file, and on paper. Whoever may read a list may take it along; the audit trail says so."""

from collections.abc import Callable
from uuid import UUID

from django.http import Http404, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from organizer.accounts.access import READERS, OrganizationRequest, requires
from organizer.attendees import exports, queries
from organizer.attendees.filters import Filters
from organizer.attendees.queries import Scope
from organizer.attendees.views.lists import asked_event
from organizer.attendees.waiting import Waiting
from organizer.events.queries import load_event
from organizer.kit.days import exact
from organizer.kit.exports import KINDS, Sheet, response
from organizer.kit.pages import page
from organizer.sync import actions as sync


@requires(*READERS)
@require_safe
def export(request: OrganizationRequest) -> HttpResponseBase:
    return _list(request, Scope(request.organization))


@requires(*READERS)
@require_safe
def export_for_event(request: OrganizationRequest, event_id: UUID) -> HttpResponseBase:
    return _list(request, Scope(request.organization, load_event(request.organization, event_id)))


@requires(*READERS)
@require_safe
def export_approvals(request: OrganizationRequest) -> HttpResponseBase:
    return _list(request, Waiting(request.organization, asked_event(request)))


@requires(*READERS)
@require_safe
def paper(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    filters = Filters.read(request.GET)
    scope = event.remote_id or ""
    read_at = sync.show(request.organization, "attendees", scope, connection=event.connection).read_at
    context = {
        "event": event,
        "filters": filters,
        "paper": exports.paper(event, filters),
        "classes": queries.classes(event) if filters.classes else [],
        "as_of": exact(read_at, timezone.get_current_timezone()) if read_at else "",
    }
    return page(request, "attendees/paper.html", context)


def _list(request: OrganizationRequest, scope: Scope) -> HttpResponseBase:
    filters = Filters.read(request.GET, scope.list)
    return _file(request, lambda: exports.of_list(scope, filters, by=request.user))


def _file(request: OrganizationRequest, sheet: Callable[[], Sheet]) -> HttpResponseBase:
    kind = request.GET.get("as", "csv")
    if kind not in KINDS:
        raise Http404
    if request.method == "HEAD":  # nobody has taken anything along
        return HttpResponse()
    return response(sheet(), kind)
