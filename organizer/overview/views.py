from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from organizer.accounts.access import ALL_ROLES, OrganizationRequest, public, requires
from organizer.kit.pages import page


@public
def home(request: HttpRequest) -> HttpResponse:
    """Without a session the sign-in form; with one, the organization that was joined first."""
    if not request.user.is_authenticated:
        return redirect("account_login")
    membership = request.user.memberships.select_related("organization").order_by("id").first()
    if membership is None:
        return page(request, "accounts/no_organization.html")
    return redirect("overview:index", membership.organization.slug)


@public
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


@public
def readyz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


@requires(*ALL_ROLES)
def index(request: OrganizationRequest) -> HttpResponse:
    return page(request, "overview/index.html")
