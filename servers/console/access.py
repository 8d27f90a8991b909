"""Who may see which page: members of the organization in the address, operators the suppliers, and nobody else."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache

from servers.kit import logs
from servers.organizations.models import Member, User
from servers.supplier_api.models import Supplier

View = Callable[..., HttpResponse]


class MemberRequest(HttpRequest):
    """A request whose sender has signed in."""

    user: User


def member(view: View) -> View:
    """Hands the view its organization. For everybody else it does not exist, operators included."""

    @never_cache
    @login_required
    @wraps(view)
    def wrapper(request: MemberRequest, slug: str, **kwargs: Any) -> HttpResponse:
        memberships = Member.objects.select_related("organization")
        membership = get_object_or_404(memberships, organization__slug=slug, user=request.user)
        logs.organization.set(slug)
        return view(request, membership.organization, **kwargs)

    return wrapper


def supplier(view: View) -> View:
    """Hands the view its supplier. Operators see all of them; for everybody else there are none."""

    @operator
    @wraps(view)
    def wrapper(request: MemberRequest, key: str, **kwargs: Any) -> HttpResponse:
        found = get_object_or_404(Supplier, key=key)
        logs.organization.set(key)
        return view(request, found, **kwargs)

    return wrapper


def operator(view: View) -> View:
    """For who runs this installation. For everybody else there is nothing here."""

    @never_cache
    @login_required
    @wraps(view)
    def wrapper(request: MemberRequest, **kwargs: Any) -> HttpResponse:
        if not request.user.is_staff:
            raise Http404
        return view(request, **kwargs)

    return wrapper
