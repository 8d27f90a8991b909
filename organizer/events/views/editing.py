"""Making and changing events: each page is a plain form, and leads to the event's own page."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import MANAGERS, READERS, OrganizationRequest, requires
from organizer.events import actions, drafts, queries
from organizer.events.actions import CouldNotWrite
from organizer.events.forms import event as event_form
from organizer.events.models import Event
from organizer.kit.focus import focus
from organizer.kit.pages import page
from organizer.sync.models import Command

READ_OR_POST = ["GET", "HEAD", "POST"]


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def new(request: OrganizationRequest) -> HttpResponse:
    initial = drafts.usual(request.organization) | drafts.on_day(request.GET.get("day", "")) | {"place": "venue"}
    form = event_form.NewEventForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method != "POST":
        return _form(request, form, None)
    if not form.is_valid():
        return _form(request, form, None, status=422)
    status = "active" if request.POST.get("then") == "publish" else "draft"
    try:
        event = actions.create_event(
            organization=request.organization, by=request.user, body=form.body() | {"status": status},
            venue=form.venue() if form.has_venue else None,
        )  # fmt: skip
    except CouldNotWrite as why:
        form.add_error(None, why.message)
        return _form(request, form, None, status=422)
    messages.success(request, _("Created and published.") if status == "active" else _("Created as a draft."))
    return redirect("events:detail", request.organization.slug, event.pk)


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def edit(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    failed = drafts.failed(event, "events.create", "events.edit")
    initial = event_form.initial(drafts.laid_over(event, failed))
    form = event_form.EventForm(request.POST if request.method == "POST" else None, initial=initial, of=event)
    if request.method != "POST":
        return _form(request, form, event, problems=drafts.problems(failed))
    if not form.is_valid():
        return _form(request, form, event, status=422)
    if form.conflicts:
        conflicts = form.conflicts
        form.now_shown()
        return _form(request, form, event, conflicts=conflicts, status=409)
    return _saved(request, event, form.changes(), failed)


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def copy(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    initial = {"name": event.name, "starts_on": drafts.a_week_later(event)}
    form = event_form.CopyForm(request.POST if request.method == "POST" else None, initial=initial)
    classes = [row for row in queries.class_rows(event) if row.ticket_class.status != "deleted"]
    context = {"event": event, "form": form, "classes": classes}
    if request.method != "POST" or not form.is_valid():
        return page(request, "events/copy.html", context, status=422 if request.method == "POST" else 200)
    try:
        made = actions.copy_event(event=event, by=request.user, **form.cleaned_data)
    except CouldNotWrite as why:
        form.add_error(None, why.message)
        return page(request, "events/copy.html", context, status=422)
    messages.success(request, _("Duplicated. This is the copy: a draft, which nobody sees yet."))
    return redirect("events:detail", request.organization.slug, made.pk)


@requires(*MANAGERS)
@require_POST
def publish(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    actions.move_event(organization=request.organization, event_id=event.pk, by=request.user, to="publish")
    messages.success(request, _("Published."))
    return redirect("events:detail", request.organization.slug, event.pk)


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def cancel(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    return _asked_first(request, event_id, "cancel")


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def delete(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    return _asked_first(request, event_id, "delete")


@requires(*READERS)
@require_safe
def state(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    """Asked for while the event is on its way to the API."""
    event = queries.load_event(request.organization, event_id)
    response = page(
        request, "events/_state.html", {"event": event, "row": queries.row(event), "asked": _asked(request)}
    )
    if not event.outbox:
        response["HX-Refresh"] = "true"  # all of the page says what the API has answered
    return response


@requires(*MANAGERS)
@require_POST
def settle(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    """What a person does about a change that came to nothing."""
    event = queries.load_event(request.organization, event_id)
    command = queries.load_command(event, request.POST.get("seq", ""))
    acts: dict[str, Callable[..., None]] = {
        "aside": actions.set_aside, "again": actions.send_again, "done": actions.it_was_done,
    }  # fmt: skip
    act = acts.get(request.POST.get("act", ""), actions.set_aside)
    try:
        act(command=command, by=request.user)
    except CouldNotWrite as why:
        messages.error(request, why.message)
    return _back(request, event, command)


def _back(request: OrganizationRequest, event: Event, command: Command) -> HttpResponse:
    if not Event.objects.filter(pk=event.pk).exists():
        return redirect("events:index", request.organization.slug)
    name = "events:detail" if command.noun == "events" else "events:ticket_classes"
    return redirect(name, request.organization.slug, event.pk)


def _asked_first(request: OrganizationRequest, event_id: UUID, what: str) -> HttpResponse:
    """What it means is said before it is done; where guests hold tickets, the event's name is typed."""
    event = queries.load_event(request.organization, event_id)
    row = queries.row(event)
    guests = sum(row.counts.get(status, 0) for status in ("valid", "checked_in", "pending_approval", "invited"))
    context: dict[str, Any] = {"event": event, "row": row, "guests": guests, "what": what}
    if request.method != "POST":
        return page(request, "events/ask.html", context)
    if guests and what == "delete" and request.POST.get("name", "").strip() != event.name:
        context["error"] = _("This is not the event's name.")
        return page(request, "events/ask.html", context, status=422)
    actions.move_event(organization=request.organization, event_id=event.pk, by=request.user, to=what)
    if what == "delete":
        messages.success(request, _("“%(name)s” is deleted.") % {"name": event.name})
        return redirect("events:index", request.organization.slug)
    messages.success(request, _("Cancelled. Nobody was told by this."))
    return redirect("events:detail", request.organization.slug, event.pk)


def _saved(request: OrganizationRequest, event: Event, body: dict[str, Any], failed: Command | None) -> HttpResponse:
    try:
        if failed:  # what was refused, with what the person changed of it
            actions.send_again(command=failed, by=request.user, params=body)
        elif body:
            actions.edit_event(organization=request.organization, event_id=event.pk, by=request.user, body=body)
            messages.success(request, _("Saved."))
        else:
            messages.info(request, _("Nothing was changed."))
    except CouldNotWrite as why:
        messages.error(request, why.message)
    return redirect("events:detail", request.organization.slug, event.pk)


def _form(
    request: OrganizationRequest, form: event_form.EventForm, event: Event | None, *, status: int = 200, **context: Any
) -> HttpResponse:
    if event is None or form.is_bound:
        focus(form)
    context |= {"form": form, "event": event, "zones": drafts.zones()}
    return page(request, "events/form.html", context, status=status)


def _asked(request: OrganizationRequest) -> int:
    asked = request.GET.get("n", "")
    return int(asked) if asked.isdecimal() and len(asked) < 5 else 0
