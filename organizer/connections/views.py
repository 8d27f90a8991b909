import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.connections import actions, queries, rows
from organizer.connections.forms import ConnectionForm, KeyForm
from organizer.connections.models import Connection
from organizer.kit.pages import page


@requires(*ADMINS)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    """While a connection is being checked its part asks for itself, a little later each time."""
    tries = request.GET.get("tries", "0")
    number = min(int(tries), 99) if tries.isdecimal() and len(tries) < 4 else 0
    context = {
        "rows": rows.rows(rows.known(request.organization)),
        "tries": number + 1,
        "wait": rows.wait_before(number),
    }
    return page(request, "connections/index.html", context, partials={"connections"})


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: OrganizationRequest) -> HttpResponse:
    form = ConnectionForm(request.POST or None)
    if form.is_valid():
        try:
            actions.add(organization=request.organization, by=request.user, **form.cleaned_data)
        except actions.CouldNotConnect as problem:
            _blame(form, problem)
        else:
            messages.success(request, _("Saved. The worker tries the key now."))
            return redirect("connections:index", request.organization.slug)
    context = {"form": form, "present": rows.rows(rows.known(request.organization))}
    return page(request, "connections/add.html", context, status=_status(form))


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def replace(request: OrganizationRequest, connection_id: uuid.UUID) -> HttpResponse:
    connection = _live(request, connection_id)
    form = KeyForm(request.POST or None)
    if form.is_valid():
        try:
            actions.replace_key(connection=connection, key=form.cleaned_data["key"], by=request.user)
        except actions.CouldNotConnect as problem:
            _blame(form, problem)
        else:
            messages.success(request, _("The key is replaced. The worker tries it now."))
            return redirect("connections:index", request.organization.slug)
    return page(request, "connections/replace.html", _context(connection, form), status=_status(form))


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: OrganizationRequest, connection_id: uuid.UUID) -> HttpResponse:
    connection = _live(request, connection_id)
    if request.method == "POST":
        actions.remove(connection=connection, by=request.user)
        messages.success(request, _("The connection is removed and its key destroyed."))
        return redirect("connections:index", request.organization.slug)
    return page(request, "connections/remove.html", _context(connection))


@requires(*ADMINS)
@require_POST
def try_again(request: OrganizationRequest, connection_id: uuid.UUID) -> HttpResponse:
    actions.try_again(connection=_live(request, connection_id))
    return redirect("connections:index", request.organization.slug)


@requires(*ADMINS)
@require_POST
def follow_key(request: OrganizationRequest, connection_id: uuid.UUID) -> HttpResponse:
    """The new key sees other events, and they take the place of those that were shown."""
    actions.follow_key(connection=_live(request, connection_id), by=request.user)
    messages.success(request, _("The new key's events are read into this list within a minute."))
    return redirect("connections:index", request.organization.slug)


@requires(*ADMINS)
@require_POST
def start_anew(request: OrganizationRequest, connection_id: uuid.UUID) -> HttpResponse:
    """The new key sees other events, and they get a list of their own."""
    actions.start_anew(connection=_live(request, connection_id), by=request.user)
    messages.success(request, _("A new list is started with the new key. The old one is put aside."))
    return redirect("connections:index", request.organization.slug)


def _live(request: OrganizationRequest, connection_id: uuid.UUID) -> Connection:
    return get_object_or_404(queries.not_suppliers(request.organization), pk=connection_id, live=True)


def _context(connection: Connection, form: forms.Form | None = None) -> dict[str, Any]:
    return {"row": rows.row(connection), "form": form}


def _blame(form: forms.Form, problem: actions.CouldNotConnect) -> None:
    form.add_error(problem.field if problem.field in form.fields else None, problem.message)


def _status(form: forms.Form) -> int:
    return 422 if form.is_bound else 200
