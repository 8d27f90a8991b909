"""Who may see a view: loading the organization and asking for the role are one act."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from organizer.accounts.models import Membership, Organization, Role, User
from organizer.kit import logs

ALL_ROLES = tuple(Role)
MANAGERS = (Role.OWNER, Role.ADMIN, Role.MANAGER)
ADMINS = (Role.OWNER, Role.ADMIN)
READERS = (*MANAGERS, Role.VIEWER)


class OrganizationRequest(HttpRequest):
    """A request that `requires` let through."""

    user: User
    organization: Organization
    membership: Membership


View = Callable[Concatenate[OrganizationRequest, ...], HttpResponse]


def requires(*roles: Role) -> Callable[[View], Callable[..., HttpResponse]]:
    """Another organization's page is 404, as if it did not exist; a missing right is 403.

    The view is called without the `slug` of the address: `request.organization` took its place.
    """

    def decorate(view: View) -> Callable[..., HttpResponse]:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
            membership = (
                Membership.objects.select_related("organization")
                .filter(organization__slug=slug, user=request.user)  # type: ignore[misc]
                .first()
            )
            if membership is None:
                raise Http404
            request.organization = membership.organization  # type: ignore[attr-defined]
            request.membership = membership  # type: ignore[attr-defined]
            logs.organization_id.set(str(membership.organization_id))
            if membership.role not in roles:  # after the organization is known: the answer says whom to ask
                raise PermissionDenied
            return view(request, **kwargs)  # type: ignore[arg-type]

        guarded.required_roles = roles  # type: ignore[attr-defined]
        return guarded

    return decorate


def public(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Says on purpose that a view needs no role; a view that says neither is a failing test."""
    view.required_roles = ()  # type: ignore[attr-defined]
    return view
