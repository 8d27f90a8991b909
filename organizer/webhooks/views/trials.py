"""A test delivery: asked for, and how it stands."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.webhooks import trials
from organizer.webhooks.tabs import tabs
from organizer.webhooks.trials import TrialRow
from organizer.webhooks.views.suppliers import load


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def test(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    """The worker sends it: what came of it is found here, after a reload as well."""
    row = load(request, vendor_id)
    if request.method == "POST":
        try:
            trials.ask(vendor=row.vendor, by=request.user)
        except trials.CouldNotTest as problem:
            messages.error(request, str(problem))
        return redirect("webhooks:test", request.organization.slug, vendor_id)
    last = trials.last(row.vendor)
    context = {
        "tabs": tabs(request.organization),
        "row": row,
        "vendor": row.vendor,
        "why_not": trials.why_not(row.vendor),
        "last": TrialRow(last, row.now) if last else None,
        "header": trials.HEADER,
    }
    return page(request, "webhooks/test.html", context, partials={"trial"})
