"""A file of guests: dropped, its columns named, tried out, and imported."""

from pathlib import PurePath
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import MANAGERS, OrganizationRequest, requires
from organizer.attendees.queries import classes_to_give
from organizer.events.queries import load_event
from organizer.imports import actions, queries, reading, report, screens, wording
from organizer.imports.forms import ColumnsForm, EncodingForm, FileForm
from organizer.imports.models import Import
from organizer.kit import uploads
from organizer.kit.pages import page
from organizer.kit.text import clean
from organizer.sync import batches

A_PAGE = 50


@requires(*MANAGERS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    form = FileForm(files=request.FILES) if request.method == "POST" else FileForm()
    if uploads.was_too_long(request):
        form.errors.clear()
        form.add_error("file", wording.unreadable(reading.Unreadable("too_big")))
    elif form.is_bound and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            table = reading.read(file, file.size)
        except reading.Unreadable as error:
            form.add_error("file", wording.unreadable(error))
        else:
            name = clean(PurePath(file.name).name)[:200]
            found = actions.take(event=event, file_name=name, table=table, by=request.user)
            return redirect("imports:columns", request.organization.slug, found.pk)
    context = {"event": event, "form": form, "imports": queries.latest(event), "classes": classes_to_give(event)}
    return page(request, "imports/new.html", context | _NAV, status=422 if form.is_bound else 200)


@requires(*MANAGERS)
@require_http_methods(["GET", "HEAD", "POST"])
def columns(request: OrganizationRequest, import_id: UUID) -> HttpResponse:
    """What each column is: as the last time, or as the headings read."""
    found = queries.load(request.organization, import_id, without=["checked"])
    if found.started_at or found.forgotten_at:
        return redirect("imports:detail", request.organization.slug, import_id)
    table, classes = queries.table(found), list(classes_to_give(found.event))
    fields, known = queries.remembered(request.organization, table)
    if request.method == "POST":
        form = ColumnsForm(table, classes, request.POST)
        if form.is_valid():
            return _tried(request, found, form)
    else:
        form = ColumnsForm(table, classes, initial=screens.initial(found, fields, classes))
    context = {
        "found": found,
        "form": form,
        "known": known,
        "how": wording.how(found.how),
        "letters": EncodingForm(initial=found.how) if screens.is_guessed(found) else None,
    }
    return page(request, "imports/columns.html", context | _NAV, status=422 if form.is_bound else 200)


@requires(*MANAGERS)
@require_POST
def letters(request: OrganizationRequest, import_id: UUID) -> HttpResponse:
    """Names that came out wrong: the same file, read in another encoding."""
    found = queries.load(request.organization, import_id)
    form = EncodingForm(request.POST)
    if form.is_valid() and "encoding" in found.how:
        actions.reread(found=found, encoding=form.cleaned_data["encoding"])
    return redirect("imports:columns", request.organization.slug, import_id)


@requires(*MANAGERS)
@require_safe
def detail(request: OrganizationRequest, import_id: UUID) -> HttpResponse:
    """What would become of each row; afterwards what became of all."""
    found = queries.load(request.organization, import_id, without=["rows"])
    if not found.checked_at:
        return redirect("imports:columns", request.organization.slug, import_id)
    verdict = request.GET.get("show", "")
    rows = [one for one in queries.checked(found) if not verdict or verdict == _tab(one.verdict, one.goes)]
    shown = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    classes = {one.remote_id or "": one.name for one in classes_to_give(found.event)}
    context = {
        "found": found,
        "tabs": screens.tabs(found, verdict),
        "sums": screens.sums(found),
        "rows": shown,
        "shown": [screens.RowShown(one, classes) for one in shown],
        "progress": batches.progress(found.batch) if found.batch else None,
    }
    return page(request, "imports/detail.html", context | _NAV, partials={"import-rows"})


@requires(*MANAGERS)
@require_POST
def start(request: OrganizationRequest, import_id: UUID) -> HttpResponse:
    found = queries.load(request.organization, import_id, without=["rows", "checked"])
    try:
        started = actions.start(found=found, by=request.user)
    except actions.CouldNotImport as error:
        messages.error(request, error.message)
        return redirect("imports:detail", request.organization.slug, import_id)
    if started.batch_id is None:
        return redirect("imports:detail", request.organization.slug, import_id)
    return redirect("attendees:batch", request.organization.slug, started.batch_id)


@requires(*MANAGERS)
@require_POST
def set_aside(request: OrganizationRequest, import_id: UUID) -> HttpResponse:
    found = queries.load(request.organization, import_id, without=["rows", "checked"])
    actions.set_aside(found=found, by=request.user)
    messages.success(request, _("Set aside. Nothing was imported."))
    return redirect("imports:new", request.organization.slug, found.event_id)


@requires(*MANAGERS)
@require_safe
def refused(request: OrganizationRequest, import_id: UUID) -> HttpResponse:
    found = queries.load(request.organization, import_id)
    answer = HttpResponse("".join(report.lines(found)), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="refused.csv"'
    answer["Cache-Control"] = "no-store"
    return answer


_NAV = {"nav": "events"}


def _tab(verdict: str, goes: bool) -> str:
    return screens.GOES if goes else verdict


def _tried(request: OrganizationRequest, found: Import, form: Any) -> HttpResponse:
    try:
        actions.try_out(found=found, choices=form.choices, by=request.user)
    except actions.CouldNotImport as error:
        messages.error(request, error.message)
    return redirect("imports:detail", request.organization.slug, found.pk)
