"""Saving the view of a list, and what can be done about a saved one."""

from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from organizer.accounts.access import MANAGERS, READERS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.lists import actions, queries, registry
from organizer.lists.forms import SaveForm, ViewForm
from organizer.lists.queries import ViewRow
from organizer.lists.registry import Listing


@requires(*READERS)
@require_POST
def save(request: OrganizationRequest) -> HttpResponse:
    of, here = _list(request, request.POST.get("listing", ""), request.POST.get("about", ""))
    form = SaveForm(request.POST, may_share=_may_share(request))
    query, taken = of.cleaned(request.POST.get("query", "")), False
    if form.is_valid():
        said = form.cleaned_data
        try:
            view = actions.save(
                organization=request.organization, by=request.user, listing=of.name, name=said["name"], query=query,
                about=said["about"] if of.of_one(query) else "", shared=form.says_shared, first=said["first"],
                replace="replace" in request.POST,
            )  # fmt: skip
        except actions.CouldNotSave as problem:
            form.add_error("name", problem.message)
            taken = problem.taken
        else:
            messages.success(request, _("Saved as “%(name)s”.") % {"name": view.name})
            return redirect(here + query)
    context = {"form": form, "taken": taken, "back": here + query}
    return page(request, "lists/save.html", context, status=422)


@requires(*READERS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: OrganizationRequest, view_id: UUID) -> HttpResponse:
    row = _changeable(request, view_id)
    given = {"name": row.view.name, "shared": row.view.shared}
    form = ViewForm(request.POST or None, initial=given, may_share=_may_share(request))
    if form.is_valid():
        try:
            actions.change(
                view=row.view, name=form.cleaned_data["name"], shared=form.says_shared, by=request.user
            )  # fmt: skip
        except actions.CouldNotSave as problem:
            form.add_error("name", problem.message)
        else:
            messages.success(request, _("Saved."))
            return redirect(_address(request, row))
    about = request.POST.get("about") or request.GET.get("about", "")
    context = {"row": row, "form": form, "about": about, "back": _address(request, row), "name": given["name"]}
    return page(request, "lists/edit.html", context, status=422 if form.is_bound else 200)


@requires(*READERS)
@require_POST
def delete(request: OrganizationRequest, view_id: UUID) -> HttpResponse:
    row = _changeable(request, view_id)
    back, name = _address(request, row), row.view.name
    actions.delete(view=row.view, by=request.user)
    messages.success(request, _("“%(name)s” is deleted. The list is as it was.") % {"name": name})
    return redirect(back)


@requires(*READERS)
@require_POST
def open_with(request: OrganizationRequest, view_id: UUID) -> HttpResponse:
    row, on = _row(request, view_id), request.POST.get("on") == "1"
    actions.open_with(view=row.view, by=request.user, on=on)
    text = _("The list opens with “%(name)s” from now on.") if on else _("The list opens with everybody again.")
    messages.success(request, text % {"name": row.view.name})
    return redirect(_address(request, row))


def _list(request: OrganizationRequest, listing: str, about: str) -> tuple[Listing, str]:
    of = registry.listing(listing)
    here = of.address(request.organization.slug, about) if of else None
    if of is None or here is None:
        raise Http404
    return of, here


def _address(request: OrganizationRequest, row: ViewRow) -> str:
    """Back to the list that it was opened from; a view for every object's list does not say which that was."""
    about = request.POST.get("about") or request.GET.get("about") or row.view.about
    of = registry.listing(row.view.listing)
    here = of.address(request.organization.slug, about) if of else None
    return here + row.query if here else resolve_url("overview:index", request.organization.slug)


def _row(request: OrganizationRequest, view_id: UUID) -> ViewRow:
    row = queries.view(request.membership, view_id)
    if row is None:
        raise Http404
    return row


def _changeable(request: OrganizationRequest, view_id: UUID) -> ViewRow:
    row = _row(request, view_id)
    if not row.may_change:
        raise PermissionDenied
    return row


def _may_share(request: OrganizationRequest) -> bool:
    return request.membership.role in MANAGERS
