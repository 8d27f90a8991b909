from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from organizer.accounts.access import ADMINS, ALL_ROLES, MANAGERS, OrganizationRequest, public, requires
from organizer.accounts.models import Role
from organizer.connections import rows
from organizer.connections.models import Service
from organizer.connections.queries import live
from organizer.kit.pages import page
from organizer.overview import condition, needs, queries
from organizer.overview import health as installation
from organizer.sync.actions import show


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
    connection = live(organization, Service.EVENTS)
    worker = installation.worker()
    decides, administers = role in MANAGERS, role in ADMINS
    context = {
        "needs": needs.needs(organization, worker=worker, is_admin=administers) if decides else [],
        "under_way": needs.under_way(organization),
        "overview": queries.overview(organization),
        "connections": rows.rows(organization) if administers else [],
        "freshness": show(organization, "events", connection=connection),
        "worker": worker,
    }
    return page(request, "overview/index.html", context, partials={"overview"})


@requires(*ADMINS)
@require_safe
def health(request: OrganizationRequest) -> HttpResponse:
    """Asks no other machine: it says what the worker has found out."""
    found = condition.condition(request.organization)
    return page(request, "overview/health.html", {"condition": found, "nav": "settings"})
