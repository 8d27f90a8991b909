"""What is watched, who is told by mail, and where alerts are posted to. One page, a form for each."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.alerts import actions, queries, tasks
from organizer.alerts.forms import HookForm, LimitsForm
from organizer.alerts.rows import SendingRow
from organizer.kit.pages import page
from organizer.webhooks.tabs import tabs


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: OrganizationRequest) -> HttpResponse:
    form = LimitsForm(request.POST or None, limits=queries.limits(request.organization))
    if not form.is_valid():
        return _page(request, limits_form=form)
    actions.set_limits(organization=request.organization, limits=form.limits, by=request.user)
    messages.success(request, _("Saved. It holds from the next look on, within a minute."))
    return _back(request)


@requires(*ADMINS)
@require_POST
def mails(request: OrganizationRequest) -> HttpResponse:
    actions.choose_mails(organization=request.organization, wanting=request.POST.getlist("user"), by=request.user)
    messages.success(request, _("Saved. It holds for the next alert."))
    return _back(request)


@requires(*ADMINS)
@require_POST
def hook(request: OrganizationRequest) -> HttpResponse:
    form = HookForm(request.POST)
    if form.is_valid():
        try:
            secret = actions.keep_hook(organization=request.organization, url=form.cleaned_data["url"], by=request.user)
        except actions.CouldNotSave as problem:
            form.add_error("url", str(problem))
        else:
            return _told_once(request, secret)
    return _page(request, hook_form=form)


@requires(*ADMINS)
@require_POST
def renew_secret(request: OrganizationRequest) -> HttpResponse:
    hook = queries.load_hook(request.organization)
    return _told_once(request, actions.renew_secret(hook=hook, by=request.user))


@requires(*ADMINS)
@require_POST
def switch_hook(request: OrganizationRequest) -> HttpResponse:
    on = request.POST.get("on") == "1"
    actions.switch_hook(hook=queries.load_hook(request.organization), on=on, by=request.user)
    messages.success(request, _("Switched on.") if on else _("Switched off: nothing is posted any more."))
    return _back(request)


@requires(*ADMINS)
@require_POST
def remove_hook(request: OrganizationRequest) -> HttpResponse:
    actions.remove_hook(hook=queries.load_hook(request.organization), by=request.user)
    messages.success(request, _("Removed, and its secret with it."))
    return _back(request)


@requires(*ADMINS)
@require_POST
def test_hook(request: OrganizationRequest) -> HttpResponse:
    actions.send_test(hook=queries.load_hook(request.organization), by=request.user)
    tasks.deliver.delay_on_commit(organization_id=str(request.organization.pk))
    messages.success(request, _("A test is on its way. What becomes of it is in the log below."))
    return _back(request)


@requires(*ADMINS)
@require_POST
def send_again(request: OrganizationRequest, sending_id: UUID) -> HttpResponse:
    sending = queries.load_sending(request.organization, sending_id)
    if actions.send_again(sending=sending, by=request.user):
        tasks.deliver.delay_on_commit(organization_id=str(request.organization.pk))
        messages.success(request, _("It is sent again, under the same id."))
    return _back(request)


@requires(*ADMINS)
@require_safe
def log(request: OrganizationRequest) -> HttpResponse:
    return page(request, "alerts/_log.html#hook-log", _logged(request))


def _page(
    request: OrganizationRequest,
    *,
    limits_form: LimitsForm | None = None,
    hook_form: HookForm | None = None,
    made: str = "",
) -> HttpResponse:
    organization = request.organization
    hook = queries.hook(organization)
    context = {
        "tabs": tabs(organization),
        "limits_form": limits_form or LimitsForm(limits=queries.limits(organization)),
        "mail_rows": queries.mail_rows(organization),
        "hook": hook,
        "hook_form": hook_form or HookForm(initial={"url": hook.url if hook else ""}),
        "made": made,
        "nav": "webhooks",
        **_logged(request),
    }
    bad = any(form and form.errors for form in (limits_form, hook_form))
    return page(request, "alerts/settings.html", context, status=422 if bad else 200)


def _logged(request: OrganizationRequest) -> dict[str, Any]:
    now = timezone.now()
    rows = [SendingRow(one, now) for one in queries.sendings(request.organization)]
    return {"log": rows, "log_moves": any(row.waits for row in rows)}


def _told_once(request: OrganizationRequest, secret: str) -> HttpResponse:
    """The answer itself shows a secret that was made: it is kept nowhere in clear, and so not redirected to."""
    if secret:
        return _page(request, made=secret)
    messages.success(request, _("Saved. It holds for what is sent next."))
    return _back(request)


def _back(request: OrganizationRequest) -> HttpResponse:
    return redirect("alerts:settings", request.organization.slug)
