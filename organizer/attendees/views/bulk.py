"""One decision about many guests, and the page that says how far it has come."""

import json
from uuid import UUID

from django.contrib import messages
from django.contrib.humanize.templatetags.humanize import intcomma
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from organizer.accounts.access import MANAGERS, READERS, OrganizationRequest, requires
from organizer.attendees import actions, history, queries, rules
from organizer.attendees.actions import CouldNotDecide
from organizer.attendees.columns import APPROVALS
from organizer.attendees.filters import Filters
from organizer.attendees.forms import DecisionForm
from organizer.attendees.queries import Scope
from organizer.attendees.views.decisions import back
from organizer.attendees.waiting import Waiting
from organizer.events.queries import load_event
from organizer.kit.pages import page, say
from organizer.sync.batches import Progress
from organizer.sync.models import Batch

MOST_CHOSEN = 1_000
"""Boxes that were ticked one by one; everybody else is found by the filter."""


@requires(*MANAGERS)
@require_POST
def decide_about_many(request: OrganizationRequest, kind: str) -> HttpResponse:
    if kind not in rules.DECISIONS:
        raise Http404
    form, ids = DecisionForm(request.POST, organization=request.organization), chosen(request)
    if not form.is_valid():
        return _message_again(request, form)
    if not ids:
        return _told(request, _("Nobody was selected."))
    try:
        batch = actions.decide_about_many(
            organization=request.organization, ids=ids, kind=kind, by=request.user, params=form.params
        )
    except CouldNotDecide as error:
        return _told(request, error.message)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("attendees:batch", request.organization.slug, batch.pk)
    response = _work(request, undo=batch, toast=_said(batch, kind))
    response["HX-Trigger"] = "attendees-changed"
    return response


@requires(*READERS)
@require_safe
def work(request: OrganizationRequest) -> HttpResponse:
    """Asked for by the strip on the lists while anything is under way; its last answer has the list read again."""
    response = _work(request)
    if all(one.is_over for one in history.work(request.organization)):
        response["HX-Trigger"] = "attendees-changed"
    return response


@requires(*READERS)
@require_safe
def batch(request: OrganizationRequest, batch_id: UUID) -> HttpResponse:
    return _state(request, batch_id)


@requires(*MANAGERS)
@require_POST
def cancel_batch(request: OrganizationRequest, batch_id: UUID) -> HttpResponse:
    progress = _batch(request, batch_id)
    text = _("Taken back.") if progress.may_undo else _("Cancelled. What was sent stays.")
    actions.cancel(batch=progress.batch, by=request.user)
    if request.htmx:  # type: ignore[attr-defined]
        in_place = request.htmx.target == "batch-state"  # type: ignore[attr-defined]
        response = _state(request, batch_id) if in_place else _work(request, oob="oob" in request.GET)
        response["HX-Trigger"] = json.dumps({"attendees-changed": True})
        say(response, text)
        return response
    messages.success(request, text)
    return redirect(back(request, resolve_url("attendees:batch", request.organization.slug, batch_id)))


@requires(*MANAGERS)
@require_POST
def seen_batch(request: OrganizationRequest, batch_id: UUID) -> HttpResponse:
    """A person knows what came to nothing: the lists say no more of it."""
    actions.mark_batch_seen(batch=_batch(request, batch_id).batch, by=request.user)
    if request.htmx:  # type: ignore[attr-defined]
        return _work(request)
    return redirect(back(request, resolve_url("attendees:batch", request.organization.slug, batch_id)))


@requires(*MANAGERS)
@require_POST
def retry_batch(request: OrganizationRequest, batch_id: UUID) -> HttpResponse:
    number = actions.retry(batch=_batch(request, batch_id).batch, by=request.user)
    said = ngettext("%(n)d is sent again.", "%(n)d are sent again.", number) % {"n": number}
    messages.success(request, said)
    return redirect("attendees:batch", request.organization.slug, batch_id)


def chosen(request: OrganizationRequest) -> list[UUID]:
    """The ticked ones, or everybody whom the list's filter finds at this moment."""
    said = request.POST
    if said.get("everybody") != "1":
        return queries.chosen_ids(request.organization, [*filter(None, map(_id, said.getlist("id")[:MOST_CHOSEN]))])
    event_id = _id(said.get("event", ""))
    event = load_event(request.organization, event_id) if event_id else None
    scope = (Waiting if said.get("in") == APPROVALS else Scope)(request.organization, event)
    filters = Filters.read(QueryDict(said.get("filters", "").removeprefix("?")), scope.list)
    return queries.matching_ids(scope, filters)


def _told(request: OrganizationRequest, text: str) -> HttpResponse:
    if request.htmx:  # type: ignore[attr-defined]
        response = _work(request)
        say(response, text, "error")
        return response
    messages.error(request, text)
    return redirect(back(request, resolve_url("attendees:index", request.organization.slug)))


def _message_again(request: OrganizationRequest, form: DecisionForm) -> HttpResponse:
    """Beside the message that was written, which stays as it is; without scripts on a page that has it."""
    problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
    context = {"problem": problem, "message": request.POST.get("custom_message", ""), "nav": "approvals"}
    if not request.htmx:  # type: ignore[attr-defined]
        return page(request, "attendees/preview.html", context, status=422)
    context["said"] = "bulk-message-said"
    response = render(request, "attendees/preview.html#message-said", context, status=422)
    response["HX-Retarget"], response["HX-Reswap"] = "#bulk-message-said", "outerHTML"
    say(response, problem, "error")
    return response


def _said(batch: Batch, kind: str) -> str:
    mailed = _("They are told by mail.") if batch.params.get("notify_guest") else _("No mails are sent.")
    return f"{_many(kind, batch.total) % {'n': intcomma(batch.total)}} {mailed}"


def _many(kind: str, n: int) -> str:
    match kind:
        case "approve":
            return ngettext("%(n)s guest approved.", "%(n)s guests approved.", n)
        case "reject":
            return ngettext("%(n)s guest rejected.", "%(n)s guests rejected.", n)
        case "return":
            return ngettext("%(n)s guest is back in the queue.", "%(n)s guests are back in the queue.", n)
        case _:
            return ngettext("%(n)s guest deleted.", "%(n)s guests deleted.", n)


def _work(request: OrganizationRequest, **more: object) -> HttpResponse:
    response = render(request, "attendees/work.html", more)
    response["Cache-Control"] = "no-store"
    return response


def _state(request: OrganizationRequest, batch_id: UUID) -> HttpResponse:
    progress = _batch(request, batch_id)
    refusals = history.refusals(progress.batch)
    context = {
        "progress": progress,
        "refusals": refusals,
        "each": history.each(progress.batch, request.GET.get("after", "")),
        "event_id": history.event_of(progress.batch),
        "may_retry": any(one.status is not None for one in refusals),  # of the others the API was not asked
        "nav": "events" if "import" in progress.batch.params else "approvals",
    }
    return page(request, "attendees/batch.html", context, partials={"batch-state"})


def _batch(request: OrganizationRequest, batch_id: UUID) -> Progress:
    progress = history.batch(request.organization, batch_id)
    if progress is None:
        raise Http404
    return progress


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
