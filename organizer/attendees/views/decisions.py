"""What a person does about one guest. Each is a plain form; htmx gets the row that changed and nothing else."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from organizer.accounts.access import MANAGERS, READERS, OrganizationRequest, requires
from organizer.attendees import actions, history, queries, rules
from organizer.attendees import messages as kept
from organizer.attendees.actions import CouldNotDecide, CouldNotWord
from organizer.attendees.columns import EVERYBODY, LISTS
from organizer.attendees.context import NOTIFY, notifies
from organizer.attendees.filters import Filters
from organizer.attendees.forms import DecisionForm
from organizer.attendees.models import Attendee
from organizer.attendees.rows import GuestRow
from organizer.kit.pages import say
from organizer.sync.models import Command

A_YEAR = 365 * 24 * 3600
DONE = {
    "approve": gettext_noop("%(name)s approved."),
    "reject": gettext_noop("%(name)s rejected."),
    "return": gettext_noop("%(name)s is back in the queue."),
    "delete": gettext_noop("%(name)s deleted."),
}


@requires(*MANAGERS)
@require_POST
def decide(request: OrganizationRequest, attendee_id: UUID, kind: str) -> HttpResponse:
    if kind not in rules.DECISIONS:
        raise Http404
    form = DecisionForm(request.POST, organization=request.organization)
    if not form.is_valid():
        return _form_again(request, attendee_id, form)
    try:
        command = actions.decide(
            organization=request.organization, attendee_id=attendee_id, kind=kind,
            seen=form.cleaned_data["seen"], by=request.user, params=form.params,
        )  # fmt: skip
    except Attendee.DoesNotExist:
        raise Http404 from None
    except CouldNotWord as error:
        form.add_error("custom_message", error.message)
        return _form_again(request, attendee_id, form)
    except CouldNotDecide as error:
        return _answer(request, attendee_id, error.message, status=409)
    response = _answer(request, attendee_id, _said(command, kind), undo=command)
    response.set_cookie(NOTIFY, str(int(command.mails)), max_age=A_YEAR, samesite="Lax", httponly=True)
    return response


@requires(*MANAGERS)
@require_POST
def resend(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    """The mail of the guest's status once more, with the message that was written or none."""
    form = DecisionForm(request.POST, organization=request.organization)
    if not form.is_valid():
        return _form_again(request, attendee_id, form)
    try:
        command = actions.resend(
            organization=request.organization, attendee_id=attendee_id, by=request.user, message=form.message
        )
    except Attendee.DoesNotExist:
        raise Http404 from None
    except CouldNotWord as error:
        form.add_error("custom_message", error.message)
        return _form_again(request, attendee_id, form)
    except CouldNotDecide as error:
        return _answer(request, attendee_id, error.message, status=409)
    return _answer(request, attendee_id, _("The mail is sent to %(name)s again.") % {"name": command.target_name})


@requires(*MANAGERS)
@require_POST
def undo(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    command = _command(request, attendee_id)
    if actions.undo(command=command, by=request.user):
        return _answer(request, attendee_id, _("Taken back. %(name)s is as before.") % {"name": command.target_name})
    return _answer(request, attendee_id, _("It was on its way already and could not be taken back."), status=409)


@requires(*MANAGERS)
@require_POST
def seen(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    actions.mark_seen(command=_command(request, attendee_id), by=request.user)
    return _answer(request, attendee_id)


@requires(*MANAGERS)
@require_POST
def send_again(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    try:
        actions.send_again(command=_command(request, attendee_id), by=request.user)
    except CouldNotDecide as error:
        return _answer(request, attendee_id, error.message, status=409)
    return _answer(request, attendee_id, _("It is sent again."))


@requires(*MANAGERS)
@require_POST
def it_was_done(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    try:
        actions.it_was_done(command=_command(request, attendee_id), by=request.user)
    except CouldNotDecide as error:
        return _answer(request, attendee_id, error.message, status=409)
    return _answer(request, attendee_id, _("Noted as done. The guest is read again soon."))


@requires(*MANAGERS)
@require_safe
def choose(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    """The dialog of one guest: every decision that makes sense, with or without a mail and a message."""
    guest = _guest(request, attendee_id)
    initial = {"notify_guest": notifies(request), "seen": guest.status}
    return _dialog(request, guest, DecisionForm(initial=initial, organization=request.organization))


@requires(*READERS)
@require_safe
def row(request: OrganizationRequest, attendee_id: UUID) -> HttpResponse:
    """Asked for by the row itself, and by the guest's page, while a command is open."""
    return _shown(request, attendee_id)


def back(request: OrganizationRequest, otherwise: str) -> str:
    """The page the person came from, where it is one of ours."""
    address = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(address, allowed_hosts=None) and address.startswith("/"):
        return address
    return otherwise


def _said(command: Command, kind: str) -> str:
    mailed = _("A mail goes to the guest.") if command.mails else _("No mail is sent.")
    return f"{_(DONE[kind]) % {'name': command.target_name}} {mailed}"


def _answer(
    request: OrganizationRequest, attendee_id: UUID, text: str = "", *, status: int = 200, undo: Command | None = None
) -> HttpResponse:
    is_gone = queries.guest(request.organization, attendee_id) is None
    if not request.htmx:  # type: ignore[attr-defined]
        if text:
            messages.add_message(request, messages.ERROR if status >= 400 else messages.SUCCESS, text)
        its_page = resolve_url("attendees:detail", request.organization.slug, attendee_id)
        every = resolve_url("attendees:index", request.organization.slug)
        return redirect(back(request, every if is_gone else its_page))
    if is_gone:
        return _gone(request)
    response = _shown(request, attendee_id, status=status, **({"undo": undo, "toast": text} if undo else {}))
    if text and not undo:
        say(response, text, "error" if status >= 400 else "info")
    return response


def _gone(request: OrganizationRequest) -> HttpResponse:
    """Who was never made is no row any more, and has no page."""
    if request.htmx.target == "guest-state":  # type: ignore[attr-defined]
        return HttpResponseClientRedirect(resolve_url("attendees:index", request.organization.slug))
    return HttpResponse("")


def _shown(request: OrganizationRequest, attendee_id: UUID, *, status: int = 200, **more: object) -> HttpResponse:
    """The guest as things stand: a row of whichever list, or the head of the guest's own page."""
    guest = _guest(request, attendee_id)
    name, asked = request.GET.get("in", ""), request.GET.get("n", "")
    name = name if name in LISTS else EVERYBODY
    shows = GuestRow(guest, name, int(asked[:3]) if asked.isdecimal() else 0, columns_on_screen(request, name))
    # from a toast the row may be on no page any more: it comes beside the answer and not as its target
    context: dict[str, object] = {"guest": guest, "row": shows, "oob": "oob" in request.GET} | more
    template = "attendees/row.html"
    if request.htmx.target == "guest-state":  # type: ignore[attr-defined]
        context |= {"history": history.of_guest(guest), "templates": kept.templates(request.organization)}
        template = "attendees/state.html"
    response = render(request, template, context, status=status)
    response["Cache-Control"] = "no-store"
    return response


def columns_on_screen(request: OrganizationRequest, name: str) -> tuple[str, ...]:
    """Those of the list that the row stands in: htmx says its address."""
    _here, _mark, asked = (request.htmx.current_url or "").partition("?")  # type: ignore[attr-defined]
    return Filters.read(QueryDict(asked.partition("#")[0]), name).columns


def _form_again(request: OrganizationRequest, attendee_id: UUID, form: DecisionForm) -> HttpResponse:
    return _dialog(request, _guest(request, attendee_id), form, status=422)


def _dialog(request: OrganizationRequest, guest: Attendee, form: DecisionForm, status: int = 200) -> HttpResponse:
    said = request.GET.get("in", "")
    context = {"guest": guest, "row": GuestRow(guest), "form": form, "list": said, "next": back(request, "")}
    context["templates"] = kept.templates(request.organization)
    part = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    template = "attendees/choose.html#guest-choice" if part else "attendees/choose.html"
    response = render(request, template, context, status=status)
    response["Cache-Control"] = "no-store"
    if part and status == 422:
        response["HX-Retarget"], response["HX-Reswap"] = "#guest-choice", "outerHTML"
    return response


def _guest(request: OrganizationRequest, attendee_id: UUID) -> Attendee:
    guest = queries.guest(request.organization, attendee_id)
    if guest is None:
        raise Http404
    return guest


def _command(request: OrganizationRequest, attendee_id: UUID) -> Command:
    seq = request.POST.get("seq", "")
    found = history.command(_guest(request, attendee_id), int(seq[:18]) if seq.isdecimal() else 0)
    if found is None:
        raise Http404
    return found
