"""Making and changing the ticket classes of an event."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from organizer.accounts.access import MANAGERS, OrganizationRequest, requires
from organizer.events import actions, drafts, queries
from organizer.events.actions import CouldNotWrite
from organizer.events.forms import ticket_class as class_form
from organizer.events.models import Event, TicketClass
from organizer.events.views.editing import READ_OR_POST
from organizer.kit.days import zone_name, zone_named
from organizer.kit.focus import focus
from organizer.kit.pages import page


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def new(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    """`?of=` is the class that the form is filled in from."""
    event = queries.load_event(request.organization, event_id)
    like = queries.find_class(event, request.GET.get("of", ""))
    initial = class_form.NEW | (class_form.initial(drafts.laid_over(like, None), event.timezone) if like else {})
    if like:
        initial["name"] = _("%s (copy)") % like.name
    form = class_form.ClassForm(
        request.POST if request.method == "POST" else None, initial=initial, zone=event.timezone
    )
    if request.method != "POST" or not form.is_valid():
        return _form(request, form, event, None, status=422 if request.method == "POST" else 200)
    actions.create_class(event=event, by=request.user, body=form.body())
    messages.success(request, _("“%(name)s” is created.") % {"name": form.cleaned_data["name"]})
    return redirect("events:ticket_classes", request.organization.slug, event.pk)


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def edit(request: OrganizationRequest, event_id: UUID, class_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    ticket = queries.load_class(event, class_id)
    failed = drafts.failed(ticket, "ticket_classes.create", "ticket_classes.edit")
    initial = class_form.initial(drafts.laid_over(ticket, failed), event.timezone)
    data = request.POST if request.method == "POST" else None
    form = class_form.ClassForm(data, initial=initial, of=ticket, zone=event.timezone)
    if request.method != "POST":
        return _form(request, form, event, ticket, problems=drafts.problems(failed))
    if not form.is_valid():
        return _form(request, form, event, ticket, status=422)
    if form.conflicts:
        conflicts = form.conflicts
        form.now_shown()
        return _form(request, form, event, ticket, conflicts=conflicts, status=409)
    body = form.changes()
    try:
        if failed:
            actions.send_again(command=failed, by=request.user, params=body)
        elif body:
            actions.edit_class(ticket=ticket, by=request.user, body=body)
            messages.success(request, _("Saved."))
    except CouldNotWrite as why:
        messages.error(request, why.message)
    return redirect("events:ticket_classes", request.organization.slug, event.pk)


@requires(*MANAGERS)
@require_http_methods(READ_OR_POST)
def delete(request: OrganizationRequest, event_id: UUID, class_id: UUID) -> HttpResponse:
    event = queries.load_event(request.organization, event_id)
    ticket = queries.load_class(event, class_id)
    if request.method != "POST":
        return page(request, "events/class_ask.html", {"event": event, "ticket": ticket})
    actions.delete_class(ticket=ticket, by=request.user)
    return redirect("events:ticket_classes", request.organization.slug, event.pk)


def _form(
    request: OrganizationRequest,
    form: class_form.ClassForm,
    event: Event,
    ticket: TicketClass | None,
    *,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    if ticket is None or form.is_bound:
        focus(form)
    context |= {"form": form, "event": event, "ticket": ticket, "zone": zone_name(zone_named(event.timezone))}
    return page(request, "events/class_form.html", context, status=status)
