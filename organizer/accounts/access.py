"""Who may see a view: loading the organization and asking for the role are one act."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import resolve_url
from django_htmx.http import HttpResponseClientRedirect

from organizer.accounts import queries
from organizer.accounts.models import Membership, Organization, Role, User
from organizer.kit import logs

ALL_ROLES = tuple(Role)
MANAGERS = (Role.OWNER, Role.ADMIN, Role.MANAGER)
ADMINS = (Role.OWNER, Role.ADMIN)
DOOR_STAFF = (*MANAGERS, Role.DOOR)
READERS = (*MANAGERS, Role.VIEWER)


class OrganizationRequest(HttpRequest):
    """A request that `requires` let through."""

    user: User
    organization: Organization
    membership: Membership
    memberships: Sequence[Membership]


View = Callable[Concatenate[OrganizationRequest, ...], HttpResponseBase]


def requires(*roles: Role) -> Callable[[View], Callable[..., HttpResponseBase]]:
    """Another organization's page is 404, as if it did not exist; a missing right is 403.

    The view is called without the `slug` of the address: `request.organization` took its place.
    """

    def decorate(view: View) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _ask_to_sign_in(request)
            # all of a person's memberships at once: the frame lists them to change between organizations
            memberships = queries.memberships(request.user)
            membership = next((one for one in memberships if one.organization.slug == slug), None)
            if membership is None:
                raise Http404
            request.user = membership.user  # the person, and no longer the proxy that finds out who it is
            request.memberships = memberships  # type: ignore[attr-defined]
            request.membership = membership  # type: ignore[attr-defined]
            request.organization = membership.organization  # type: ignore[attr-defined]
            logs.organization_id.set(str(membership.organization_id))
            if membership.role not in roles:  # after the organization is known: the answer says whom to ask
                raise PermissionDenied
            return view(request, **kwargs)  # type: ignore[arg-type]

        guarded.required_roles = roles  # type: ignore[attr-defined]
        return guarded

    return decorate


def _ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """A part of a page that asks for itself sends its page to the form, not its own address."""
    htmx = request.htmx  # type: ignore[attr-defined]
    if htmx:
        back = urlencode({"next": htmx.current_url_abs_path or "/"})
        return HttpResponseClientRedirect(f"{resolve_url(settings.LOGIN_URL)}?{back}")
    return redirect_to_login(request.get_full_path())


def public(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Says on purpose that a view needs no role; a view that says neither is a failing test."""
    view.required_roles = ()  # type: ignore[attr-defined]
    return view
