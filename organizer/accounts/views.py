from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from organizer.accounts import queries
from organizer.accounts.access import ADMINS, MANAGERS, OrganizationRequest, public, requires
from organizer.accounts.context import THEMES
from organizer.kit.pages import page

YEAR = 365 * 24 * 3600


@requires(*MANAGERS)
@require_safe
def members(request: OrganizationRequest) -> HttpResponse:
    return page(request, "accounts/members.html", {"members": queries.members(request.organization)})


@requires(*ADMINS)
@require_safe
def audit(request: OrganizationRequest) -> HttpResponse:
    trail = queries.audit_page(request.organization, before=request.GET.get("before", ""))
    return page(request, "accounts/audit.html", {"trail": trail})


@public
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light, dark or as the system: a cookie, so that the server renders it before any script runs."""
    back = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure()):
        back = "/"
    response = HttpResponseRedirect(back)
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie("foyer_theme", chosen, max_age=YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE)
    else:
        response.delete_cookie("foyer_theme", samesite="Lax")
    return response


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Says whom to ask. Who is not a member never comes here: to them the page does not exist."""
    organization = getattr(request, "organization", None)
    owners = queries.owners(organization) if organization else []
    return render(request, "403.html", {"owners": owners}, status=403)
