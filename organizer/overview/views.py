from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from organizer.accounts.access import ADMINS, ALL_ROLES, MANAGERS, READERS, OrganizationRequest, public, requires
from organizer.accounts.models import Role
from organizer.alerts import queries as alerts
from organizer.attendees import onscreen
from organizer.connections import rows
from organizer.connections.models import Service
from organizer.events.queries import load_event
from organizer.kit.pages import page
from organizer.overview import condition, needs, queries
from organizer.overview import health as installation
from organizer.overview.dayof import day_of
from organizer.overview.summary import summary
from organizer.sync.actions import show, show_read


@public
def home(request: HttpRequest) -> HttpResponse:
    """Without a session the sign-in form; with one, the organization that was joined first."""
    if not request.user.is_authenticated:
        return redirect("account_login")
    membership = request.user.memberships.select_related("organization").order_by("id").first()
    if membership is None:
        return page(request, "accounts/no_organization.html")
    first = "door:index" if membership.role == Role.DOOR else "overview:index"
    return redirect(first, membership.organization.slug)


@public
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers; whether everything behind it is well is `/readyz`."""
    return HttpResponse("ok", content_type="text/plain")


@public
def readyz(request: HttpRequest) -> HttpResponse:
    checks = installation.checks()
    ready = all(check.ok for check in checks)
    said = {check.name: {"ok": check.ok, "words": check.words} for check in checks}
    response = JsonResponse({"ready": ready, "checks": said}, status=200 if ready else 503)
    response["Cache-Control"] = "no-store"
    return response


@requires(*ALL_ROLES)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    organization, role = request.organization, request.membership.role
    if role == Role.DOOR:
        return redirect("door:index", organization.slug)
    decides, administers = role in MANAGERS, role in ADMINS
    connections = rows.known(organization)
    live = request.connections = [one for one in connections if one.live]  # type: ignore[attr-defined]
    events = next((one for one in live if one.service == Service.EVENTS), None)
    on_screen = [found for text in request.GET.getlist("row") if (found := onscreen.key(text))]
    worker, said = installation.worker(), queries.overview(organization, on_screen=on_screen)
    freshness = show_read(events, said.events_sweep, "events")
    numbers = needs.numbers(organization)
    alerts.note_open(organization, numbers.alerts)
    wanted = needs.needs(organization, numbers=numbers, connections=connections, worker=worker, is_admin=administers)
    context = {
        "needs": wanted if decides else [],
        "under_way": needs.under_way(organization, is_admin=administers),
        "overview": said,
        "connections": rows.rows(connections) if administers else [],
        "freshness": freshness,
        "numbers": numbers,
        "worker": worker,
        "summary": summary(organization, connections=live, worker=worker, freshness=freshness, is_admin=administers),
    }
    return page(request, "overview/index.html", context, partials={"overview"})


@requires(*ADMINS)
@require_safe
def health(request: OrganizationRequest) -> HttpResponse:
    """Asks no other machine: it says what the worker has found out."""
    found = condition.condition(request.organization)
    return page(request, "overview/health.html", {"condition": found, "nav": "settings"})


@requires(*READERS)
@require_safe
def today(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    """An event while its guests come."""
    event = load_event(request.organization, event_id)
    scope = event.remote_id or ""
    context = {
        "event": event,
        "day": day_of(event),
        "freshness": show(request.organization, "attendees", scope, connection=event.connection),
        "scope": scope,
        "nav": "events",
    }
    return page(request, "overview/today.html", context, partials={"today"})
