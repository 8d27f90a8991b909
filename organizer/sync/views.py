from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import ADMINS, ALL_ROLES, OrganizationRequest, requires
from organizer.connections.models import Service
from organizer.connections.queries import live
from organizer.kit.pages import done, page
from organizer.kit.text import clean
from organizer.sync import actions, forms, queries, registry, repairs, rows, tasks
from organizer.sync.mirror import LONGEST_ID
from organizer.sync.rows import CommandRow


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


@requires(*ADMINS)
@require_safe
def outbox(request: OrganizationRequest) -> HttpResponse:
    box = rows.box(request.organization, request.GET.get("tab", ""), request.GET.get("after", ""))
    return page(request, "sync/outbox.html", {"box": box, "nav": "settings"}, partials={"outbox-list"})


@requires(*ADMINS)
@require_safe
def command(request: OrganizationRequest, seq: int) -> HttpResponse:
    row = _row(request, seq)
    context = {"row": row, "command": row.command, "others": rows.others(row.command), "nav": "settings"}
    return page(request, "sync/command.html", context, partials={"command"})


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: OrganizationRequest, seq: int) -> HttpResponse:
    """Filled in as it was sent, what the API said of a field beside that field."""
    row = _row(request, seq)
    if not row.may_edit:
        messages.error(request, _("This cannot be sent again any more."))
        return redirect("sync:command", request.organization.slug, seq)
    form = forms.EditForm(row.command, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _sent_again(request, row, form.cleaned_data)
    context = {"row": row, "command": row.command, "form": form, "nav": "settings"}
    return page(request, "sync/edit.html", context, status=422 if request.method == "POST" else 200)


@requires(*ADMINS)
@require_POST
def send_again(request: OrganizationRequest, seq: int) -> HttpResponse:
    return _sent_again(request, _row(request, seq))


@requires(*ADMINS)
@require_POST
def it_was_done(request: OrganizationRequest, seq: int) -> HttpResponse:
    row = _row(request, seq)
    try:
        repairs.it_was_done(command=row.command, by=request.user)
    except repairs.CouldNotRepeat:
        return _said(request, row, _("This was settled meanwhile."), failed=True)
    return _said(request, row, _("Noted. Its list is read again soon."))


@requires(*ADMINS)
@require_POST
def seen(request: OrganizationRequest, seq: int) -> HttpResponse:
    row = _row(request, seq)
    repairs.mark_seen(commands=[row.command], by=request.user)
    return _said(request, row, _("Set aside. It stays in the outbox for 90 days."))


@requires(*ADMINS)
@require_POST
def take_back(request: OrganizationRequest, seq: int) -> HttpResponse:
    row = _row(request, seq)
    if row.may_take_back and repairs.take_back(command=row.command, by=request.user):
        return _said(request, row, _("Taken back. Nothing was sent."))
    return _said(request, row, _("It was on its way already."), failed=True)


def _row(request: OrganizationRequest, seq: int) -> CommandRow:
    row = rows.find(request.organization, seq)
    if row is None:
        raise Http404
    return row


def _sent_again(request: OrganizationRequest, row: CommandRow, params: dict[str, Any] | None = None) -> HttpResponse:
    try:
        again = repairs.send_again(command=row.command, by=request.user, params=params)
    except repairs.CouldNotRepeat:
        return _said(request, row, _("This was settled meanwhile."), failed=True)
    return _said(request, row, _("On its way again."), now=again.seq)


def _said(
    request: OrganizationRequest, row: CommandRow, text: str, *, failed: bool = False, now: int = 0
) -> HttpResponse:
    """In place, the page hears of the change and reads itself again; else it is the command's own page, `now`'s."""
    if request.htmx:  # type: ignore[attr-defined]
        return done(request, "outbox-changed", toast=text, level="error" if failed else "")
    (messages.error if failed else messages.success)(request, text)
    return redirect("sync:command", request.organization.slug, now or row.command.seq)


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
