"""Alerts: listed, looked at, and what people do about them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.alerts import actions, queries, tasks
from organizer.alerts.forms import IgnoreForm, NoteForm
from organizer.alerts.models import Alert, Condition, State
from organizer.alerts.queries import Asked
from organizer.alerts.rows import AlertPage, AlertRow
from organizer.kit.pages import page
from organizer.webhooks import queries as webhooks
from organizer.webhooks.tabs import tabs

MOST_AT_ONCE = 200
_LABELS = {queries.CURRENT: gettext_lazy("Current"), "all": gettext_lazy("All")}


@requires(*ADMINS)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    asked, now = Asked.read(request.GET), timezone.now()
    found = queries.page(request.organization, asked, request.GET.get("after", ""))
    counts = queries.counts(request.organization)
    context = {
        "tabs": tabs(request.organization),
        "here": request.path,
        "asked": asked,
        "page": found,
        "rows": [AlertRow(one, now) for one in found.rows],
        "states": [
            (state, _label(state), counts.get(state, 0), asked.address(state=state)) for state in queries.STATES
        ],
        "vendors": [(one, asked.address(vendor=one.key)) for one in webhooks.vendors(request.organization)],
        "conditions": [(one, asked.address(condition=one.value)) for one in Condition],
        "condition": Condition(asked.condition) if asked.condition else None,
        "any_vendor": asked.address(vendor=""),
        "any_condition": asked.address(condition=""),
        "nav": "webhooks",
    }
    return page(request, "alerts/index.html", context, partials={"alerts"})


@requires(*ADMINS)
@require_safe
def detail(request: OrganizationRequest, alert_id: UUID) -> HttpResponse:
    return _page(request, queries.load(request.organization, alert_id))


@requires(*ADMINS)
@require_POST
def acknowledge(request: OrganizationRequest, alert_id: UUID) -> HttpResponse:
    done = _("Acknowledged: the others see that you look after it.")
    return _act(request, alert_id, NoteForm(request.POST), actions.acknowledge, done)


@requires(*ADMINS)
@require_POST
def resolve(request: OrganizationRequest, alert_id: UUID) -> HttpResponse:
    done = _("Resolved. While it is still so, it does not open again.")
    return _act(request, alert_id, NoteForm(request.POST), actions.resolve, done)


@requires(*ADMINS)
@require_POST
def ignore(request: OrganizationRequest, alert_id: UUID) -> HttpResponse:
    form = IgnoreForm(request.POST)

    def act(**said: Any) -> None:
        actions.ignore(until=form.ends_at(timezone.now()), **said)

    return _act(request, alert_id, form, act, _("Ignored: nobody is told."))


@requires(*ADMINS)
@require_POST
def reopen(request: OrganizationRequest, alert_id: UUID) -> HttpResponse:
    alert = queries.load(request.organization, alert_id)
    try:
        actions.reopen(alert=alert, by=request.user)
    except actions.CouldNotChange:
        messages.error(request, _too_late())
    else:
        tasks.deliver.delay_on_commit(organization_id=str(alert.organization_id))
        open_again = alert.state == State.OPEN
        messages.success(request, _("It is open again.") if open_again else _("It is over by now, and so resolved."))
    return redirect("alerts:detail", request.organization.slug, alert.pk)


@requires(*ADMINS)
@require_POST
def acknowledge_many(request: OrganizationRequest) -> HttpResponse:
    ids = [found for text in request.POST.getlist("id")[:MOST_AT_ONCE] if (found := _key(text))]
    alerts = queries.chosen(request.organization, ids)
    done = actions.acknowledge_many(alerts=alerts, by=request.user)
    if done:
        tasks.deliver.delay_on_commit(organization_id=str(request.organization.pk))
        text = ngettext("%(n)s alert acknowledged.", "%(n)s alerts acknowledged.", done) % {"n": done}
        messages.success(request, text)
    else:
        messages.info(request, _("Nothing was selected that is open."))
    here = reverse("alerts:index", args=[request.organization.slug])
    back = request.POST.get("next", "")
    return redirect(back if url_has_allowed_host_and_scheme(back, None) and back.startswith(here) else here)


def _act(
    request: OrganizationRequest, alert_id: UUID, form: NoteForm, act: Callable[..., None], done: str
) -> HttpResponse:
    alert = queries.load(request.organization, alert_id)
    if not form.is_valid():
        return _page(request, alert, form, status=422)
    try:
        act(alert=alert, by=request.user, note=form.cleaned_data["note"])
    except actions.CouldNotChange:
        messages.error(request, _too_late())
    else:
        tasks.deliver.delay_on_commit(organization_id=str(alert.organization_id))
        messages.success(request, done)
    return redirect("alerts:detail", request.organization.slug, alert.pk)


def _page(request: OrganizationRequest, alert: Alert, form: NoteForm | None = None, status: int = 200) -> HttpResponse:
    context = {
        "tabs": tabs(request.organization),
        "alert": alert,
        "row": AlertPage(alert, timezone.now()),
        "form": form if isinstance(form, IgnoreForm) else IgnoreForm(form.data if form else None),
        "nav": "webhooks",
    }
    return page(request, "alerts/detail.html", context, partials={"alert-now"}, status=status)


def _too_late() -> str:
    return _("Somebody else was quicker, or it is over. This is how it stands now.")


def _label(state: str) -> str:
    return str(_LABELS[state] if state in _LABELS else State(state).label)


def _key(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
