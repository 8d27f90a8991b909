from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from organizer.accounts.access import DOOR_STAFF, MANAGERS, OrganizationRequest, requires
from organizer.attendees import admissions, removals, verdicts
from organizer.attendees.admissions import Asked
from organizer.attendees.models import Attendee, Scan
from organizer.door import forms, queries
from organizer.door.answers import answer
from organizer.door.forms import GuestForm, UndoForm
from organizer.door.queries import FoundRow, ScanRow
from organizer.events.models import Event
from organizer.events.queries import load_event
from organizer.kit.pages import page
from organizer.kit.text import clean
from organizer.sync import actions as sync


@requires(*DOOR_STAFF)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    """Straight to the event of today; where there are several, or none, a person chooses."""
    choices = queries.choices(request.organization)
    today = [choice for choice in choices if choice.is_today]
    if len(today) == 1 and "choose" not in request.GET:
        return redirect("door:desk", request.organization.slug, today[0].event.pk)
    return page(request, "door/index.html", {"choices": choices})


@requires(*DOOR_STAFF)
@require_safe
def desk(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    q = verdicts.stripped(clean(request.GET.get("q", "")))[: verdicts.LONGEST_CODE]
    found = queries.found(event, q) if verdicts.reads_as_name(q) else []
    if request.htmx.target == "verdict":  # type: ignore[attr-defined]
        return _search(request, event, q, found)
    context = _state(request, event) | {
        "row": _shown(event, request.GET.get("scan", "")),
        "q": q,
        "found": found,
        "last": queries.last_scans(event, request.user),
        "scan_id": uuid4(),
        "odd": queries.odd(event),
    }
    return page(request, "door/desk.html", context, partials={"odd"})


@requires(*DOOR_STAFF)
@require_safe
def state(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    """How many are in, how old the list is, and how many need attention: asked for while the page is open."""
    event = load_event(request.organization, event_id)
    context = _state(request, event)
    response = page(request, "door/desk.html#desk-state", context)
    if request.GET.get("odd") != str(context["number_odd"]):
        response["HX-Trigger"] = "odd-changed"
    return response


@requires(*DOOR_STAFF)
@require_POST
def scan(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    return _scan(request, event_id)


@requires(*MANAGERS)
@require_POST
def approve(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    return _scan(request, event_id, approve=True)


@requires(*DOOR_STAFF)
@require_POST
def undo(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    form = UndoForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest()
    return _said(request, removals.undo(event=event, by=request.user, **form.cleaned_data))


@requires(*DOOR_STAFF)
@require_POST
def send_again(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event, guest = _guest(request, event_id)
    removals.record_again(organization=request.organization, attendee=guest, by=request.user)
    return redirect("door:desk", request.organization.slug, event.pk)


@requires(*DOOR_STAFF)
@require_POST
def seen(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event, guest = _guest(request, event_id)
    removals.note_seen(organization=request.organization, attendee=guest, by=request.user)
    return redirect("door:desk", request.organization.slug, event.pk)


@requires(*MANAGERS)
@require_POST
def mails(request: OrganizationRequest, event_id: UUID) -> HttpResponse:
    event = load_event(request.organization, event_id)
    removals.remember(event=event, notify_guest=request.POST.get("notify_guest") == "1", by=request.user)
    return redirect("door:desk", request.organization.slug, event.pk)


def _scan(request: OrganizationRequest, event_id: UUID, *, approve: bool = False) -> HttpResponse:
    shown = forms.shown(request.POST)
    if shown is None:
        return HttpResponseBadRequest()
    asked = Asked(
        organization=request.organization, event_id=event_id, by=request.user, scan_id=shown.scan_id, code=shown.code,
        attendee_id=shown.attendee_id, approve=approve,
    )  # fmt: skip
    if not asked.attendee_id and verdicts.reads_as_name(asked.code) and not admissions.is_known(asked):
        event = load_event(request.organization, event_id)
        found = queries.found(event, asked.code)
        if found or not verdicts.looks_like_a_code(asked.code):
            return _search(request, event, asked.code, found)
    try:
        return _said(request, admissions.admit(asked))
    except Event.DoesNotExist:
        raise Http404 from None


def _search(request: OrganizationRequest, event: Event, q: str, found: Sequence[FoundRow]) -> HttpResponse:
    if not request.htmx:  # type: ignore[attr-defined]
        address = reverse("door:desk", args=[request.organization.slug, event.pk])
        return redirect(f"{address}?{urlencode({'q': q})}")
    return page(request, "door/_answer.html", {"event": event, "event_id": event.pk, "found": found, "q": q})


def _said(request: OrganizationRequest, scan: Scan) -> HttpResponse:
    """The verdict and its line in the list, and nothing else: the rest of the page asks for itself."""
    if not request.htmx:  # type: ignore[attr-defined]
        address = reverse("door:desk", args=[request.organization.slug, scan.event_id])
        return redirect(f"{address}?scan={scan.pk}")
    text = answer(ScanRow(scan), request.organization, may_manage=request.membership.role in MANAGERS)
    return HttpResponse(text, headers={"Cache-Control": "no-store"})


def _state(request: OrganizationRequest, event: Event) -> dict[str, Any]:
    checked_in, total = queries.inside(event)
    freshness = sync.show(request.organization, "attendees", event.remote_id or "", connection=event.connection)
    odd = queries.number_odd(event)
    return {
        "event": event,
        "event_id": event.pk,
        "undo_url": reverse("door:undo", args=[request.organization.slug, event.pk]),
        "inside": checked_in,
        "total": total,
        "number_odd": odd,
        "freshness": freshness,
    }


def _shown(event: Event, scan_id: str) -> ScanRow | None:
    try:
        return queries.stored(event, UUID(scan_id)) if scan_id else None
    except ValueError:
        return None


def _guest(request: OrganizationRequest, event_id: UUID) -> tuple[Event, Attendee]:
    event = load_event(request.organization, event_id)
    form = GuestForm(request.POST)
    guest = queries.guest(event, form.cleaned_data["attendee_id"]) if form.is_valid() else None
    if guest is None:
        raise Http404
    return event, guest
