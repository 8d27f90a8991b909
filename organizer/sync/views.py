from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from organizer.accounts.access import ALL_ROLES, OrganizationRequest, requires
from organizer.connections.models import Service
from organizer.connections.queries import live
from organizer.kit.text import clean
from organizer.sync import actions, queries, registry, tasks
from organizer.sync.mirror import LONGEST_ID


@requires(*ALL_ROLES)
@require_POST
def refresh(request: OrganizationRequest) -> HttpResponse:
    noun, scope = _list(request.POST)
    connection = live(request.organization, Service.EVENTS)
    if connection and actions.ask(connection, noun, scope):
        tasks.walk.delay_on_commit(connection_id=str(connection.pk))
    if request.htmx:  # type: ignore[attr-defined]
        return _fresh(request, noun, scope, _back(request, request.POST.get("next", "")))
    return redirect(_back(request, request.POST.get("next", "")))


@requires(*ALL_ROLES)
@require_safe
def freshness(request: OrganizationRequest) -> HttpResponse:
    """Asked for again and again while a list is being read; the last answer says that there is news."""
    noun, scope = _list(request.GET)
    return _fresh(request, noun, scope, _back(request, request.GET.get("next", "")))


def _fresh(request: OrganizationRequest, noun: str, scope: str, back: str) -> HttpResponse:
    now = queries.freshness(request.organization, noun, scope)
    context = {"freshness": now, "noun": noun, "scope": scope, "back": back, "organization": request.organization}
    response = render(request, "components/fresh.html", context)
    response["Cache-Control"] = "no-store"
    if not now.reading and not now.problem:
        response["HX-Trigger"] = f"{noun.replace('_', '-')}-changed"
    return response


def _list(said: dict[str, str]) -> tuple[str, str]:
    noun = said.get("noun", "")
    if noun not in {known.name for known in registry.nouns()}:
        raise Http404
    return noun, clean(said.get("scope", ""))[:LONGEST_ID]


def _back(request: OrganizationRequest, address: str) -> str:
    """The page the person came from, where it is one of ours."""
    if url_has_allowed_host_and_scheme(address, allowed_hosts=None) and address.startswith("/"):
        return address
    return resolve_url("overview:index", request.organization.slug)
