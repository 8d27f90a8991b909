"""What was asked, and many to be asked about at once."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.orders import bulks, choosing, queries, tasks
from organizer.orders.choosing import Asked
from organizer.orders.rows import LookRow
from organizer.webhooks.models import Cause, Found
from organizer.webhooks.tabs import tabs

_NAV = {"nav": "orders"}


MOST_SHOWN = 50


@requires(*ADMINS)
@require_safe
def reconciliations(request: OrganizationRequest) -> HttpResponse:
    asked = {name: request.GET.get(name, "") for name in ("outcome", "cause", "q")}
    found = queries.reconciliations(request.organization, **asked, cursor=request.GET.get("after", ""))
    context = {
        "page": found,
        "rows": [LookRow(one) for one in found.rows],
        "outcomes": [*Found.choices, ("missed", _("Missed"))],
        "causes": Cause.choices,
        "tabs": tabs(request.organization),
        **asked,
    }
    return page(request, "orders/reconciliations.html", context | {"nav": "webhooks"}, partials={"looks"})


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def new_bulk(request: OrganizationRequest) -> HttpResponse:
    """Looked over first: how many, at whom, how long. The form says again what was chosen."""
    asked = Asked.read(request.POST if request.method == "POST" else request.GET)
    now = timezone.now()
    chosen = choosing.choose(request.organization, asked, now)
    if request.method == "POST":
        try:
            bulk = bulks.start(chosen=chosen, organization=request.organization, by=request.user)
        except bulks.CouldNotStart as problem:
            messages.error(request, str(problem))
        else:
            _kick(chosen)
            return redirect("orders:bulk", request.organization.slug, bulk.pk)
    context = {
        "preview": choosing.preview(chosen, now),
        "chosen": chosen,
        "back": _back(request, asked),
        "nav": _nav(asked.source),
    }
    return page(request, "orders/new_bulk.html", context)


@requires(*ADMINS)
@require_safe
def bulk(request: OrganizationRequest, bulk_id: UUID) -> HttpResponse:
    found = queries.load_bulk(request.organization, bulk_id)
    progress = bulks.Progress.of(found)
    context = {
        "bulk": found,
        "progress": progress,
        "mend": progress.to_mend(MOST_SHOWN),
        "again": choosing.address(Asked(choosing.BULK, ids=(found.pk,))),
        "back": _back(request, Asked(found.source, found.query)),
        "nav": _nav(found.source),
    }
    return page(request, "orders/bulk.html", context, partials={"bulk-state"})


@requires(*ADMINS)
@require_POST
def cancel_bulk(request: OrganizationRequest, bulk_id: UUID) -> HttpResponse:
    bulks.cancel(bulk=queries.load_bulk(request.organization, bulk_id), by=request.user)
    return redirect("orders:bulk", request.organization.slug, bulk_id)


def _kick(chosen: choosing.Chosen) -> None:
    for vendor_id in {vendor for vendor, _one in [*chosen.orders, *chosen.unread]}:
        tasks.reconcile.delay_on_commit(vendor_id=str(vendor_id))


def _nav(source: str) -> str:
    return "webhooks" if source == choosing.DELIVERIES else "orders"


def _back(request: OrganizationRequest, asked: Asked) -> str:
    """To the list that it was chosen in."""
    view = "webhooks:index" if asked.source == choosing.DELIVERIES else "orders:index"
    return reverse(view, args=[request.organization.slug]) + (asked.filters if asked.filters.startswith("?") else "")
