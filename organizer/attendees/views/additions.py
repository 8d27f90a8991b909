"""Guests added by hand, one at a time."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from organizer.accounts.access import MANAGERS, OrganizationRequest, requires
from organizer.attendees import additions, queries
from organizer.attendees.forms import AddForm
from organizer.events.queries import load_event
from organizer.kit.focus import focus
from organizer.kit.pages import page


@requires(*MANAGERS)
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    form = AddForm(request.POST if request.method == "POST" else None, event=event)
    if form.is_bound and form.is_valid():
        given = form.cleaned_data["ticket_class"]
        command = additions.add(event=event, ticket_class=given, by=request.user, params=form.params)
        messages.success(request, _("%(name)s is being added.") % {"name": command.target_name})
        if "another" in request.POST:
            return redirect("attendees:add", request.organization.slug, event.pk)
        return redirect("attendees:for_event", request.organization.slug, event.pk)
    focus(form)
    context = {"event": event, "form": form, "nav": "events"}
    return page(request, "attendees/add.html", context, status=422 if form.is_bound else 200)


@requires(*MANAGERS)
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    """A guest whom the API would not take, filled in as it was sent, with its reasons at the fields."""
    guest = queries.guest(request.organization, attendee_id)
    if guest is None:
        raise Http404
    command = additions.refused(guest)
    if command is None:
        messages.info(request, _("There is nothing to correct: it is under way, or done."))
        return redirect("attendees:detail", request.organization.slug, attendee_id)
    form = AddForm(request.POST if request.method == "POST" else None, event=guest.event, besides=guest)
    if form.is_bound and form.is_valid():
        try:
            again = additions.correct(
                guest=guest, ticket_class=form.cleaned_data["ticket_class"], by=request.user, params=form.params
            )
        except additions.CouldNotAdd as error:
            messages.error(request, error.message)
        else:
            messages.success(request, _("%(name)s is being added.") % {"name": again.target_name})
        return redirect("attendees:detail", request.organization.slug, attendee_id)
    if not form.is_bound:
        said = {**command.params, "ticket_class": guest.ticket_class_id}
        form = AddForm(said, event=guest.event, besides=guest)
        form.say(command.answer)
    context = {"event": guest.event, "guest": guest, "form": form, "reason": command.reason, "nav": "events"}
    return page(request, "attendees/add.html", context, status=422 if request.method == "POST" else 200)
