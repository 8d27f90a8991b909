"""The organization's messages to guests: written once, looked at as three guests would get them."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import MANAGERS, OrganizationRequest, requires
from organizer.attendees import messages as kept
from organizer.attendees import queries
from organizer.attendees.forms import DecisionForm, TemplateForm
from organizer.attendees.models import MessageTemplate
from organizer.attendees.views.bulk import chosen
from organizer.attendees.wording import PLACEHOLDERS
from organizer.kit.pages import page


@requires(*MANAGERS)
@require_safe
def templates(request: OrganizationRequest) -> HttpResponse:
    context = {"templates": kept.templates(request.organization), "nav": "settings"}
    return page(request, "attendees/templates.html", context)


@requires(*MANAGERS)
@require_http_methods(["GET", "HEAD", "POST"])
def new_template(request: OrganizationRequest) -> HttpResponse:
    return _form(request, MessageTemplate(organization=request.organization))


@requires(*MANAGERS)
@require_http_methods(["GET", "HEAD", "POST"])
def template(request: OrganizationRequest, template_id: UUID) -> HttpResponse:
    return _form(request, _template(request, template_id))


@requires(*MANAGERS)
@require_POST
def remove_template(request: OrganizationRequest, template_id: UUID) -> HttpResponse:
    found = _template(request, template_id)
    kept.remove(kept=found, by=request.user)
    messages.success(request, _("“%(name)s” is removed.") % {"name": found.name})
    return redirect("attendees:templates", request.organization.slug)


@requires(*MANAGERS)
@require_safe
def message(request: OrganizationRequest) -> HttpResponse:
    """A template's text in the field of a dialog, where it can still be changed; without one the field stays."""
    field, template_id = request.GET.get("field", ""), _id(request.GET.get("template", ""))
    found = kept.template(request.organization, template_id) if template_id else None
    if found is None or field not in FIELDS:
        response = HttpResponse()
        response["HX-Reswap"] = "none"
    else:
        response = render(request, "attendees/_message_text.html", {"text": found.text, "field": field})
    response["Cache-Control"] = "no-store"
    return response


@requires(*MANAGERS)
@require_POST
def preview(request: OrganizationRequest) -> HttpResponse:
    """As the first three of the selection would get it; without one, as three guests of the organization."""
    form = DecisionForm(request.POST, organization=request.organization)
    text = request.POST.get("text", "") or (form.message if form.is_valid() else request.POST.get("custom_message", ""))
    guests = queries.examples(request.organization, chosen(request)[:1_000])
    problem = kept.problem(text)
    context = {
        "message": text,
        "problem": problem,
        "shown": [] if problem else kept.shown(text, guests),
        "empty": not text,
        "nav": "settings",
    }
    if (said := request.htmx.target) in SAID:  # type: ignore[attr-defined]
        return render(request, "attendees/preview.html#message-said", context | {"said": said})
    return page(request, "attendees/preview.html", context, partials={"message-said"})


FIELDS = ("bulk-message", "about-message", "id_message")
SAID = frozenset(f"{field}-said" for field in FIELDS)
"""Where each field's preview stands: a page may have the dialog of one guest and that of a selection."""


def _form(request: OrganizationRequest, found: MessageTemplate) -> HttpResponse:
    before = {"name": found.name, "text": found.text} if not found._state.adding else {}
    form = TemplateForm(request.POST if request.method == "POST" else None, instance=found)
    if form.is_bound and form.is_valid():
        kept.keep(kept=form.save(commit=False), by=request.user, before=before)
        messages.success(request, _("Kept. It can be chosen wherever guests are decided about."))
        return redirect("attendees:templates", request.organization.slug)
    context = {
        "form": form,
        "found": None if found._state.adding else found,
        "placeholders": PLACEHOLDERS,
        "shown": kept.shown(found.text, queries.examples(request.organization, [])) if before else [],
        "nav": "settings",
    }
    return page(request, "attendees/template.html", context, status=422 if form.is_bound else 200)


def _template(request: OrganizationRequest, template_id: UUID) -> MessageTemplate:
    found = kept.template(request.organization, template_id)
    if found is None:
        raise Http404
    return found


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
