from dataclasses import replace

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.webhooks import queries
from organizer.webhooks import rejections as rejecting
from organizer.webhooks.filters import LONGEST_RANGE, RANGES
from organizer.webhooks.rejections import Asked
from organizer.webhooks.tabs import tabs


@requires(*ADMINS)
@require_safe
def rejected(request: OrganizationRequest) -> HttpResponse:
    vendors = queries.vendors(request.organization)
    asked = Asked.read(request.GET, timezone.get_current_timezone())
    if asked.vendor not in {one.key for one in vendors}:
        asked = replace(asked, vendor="")
    found = rejecting.rejected(
        request.organization, vendors, asked, cursor=request.GET.get("after", ""), now=timezone.now()
    )
    context = {
        "tabs": tabs(request.organization),
        "here": request.path,
        "filters": asked,
        "ranges": RANGES.items(),
        "rejected": found,
        "page": found.page,
        "choices": [(one, asked.address(vendor=one.key)) for one in vendors],
        "all": request.path + Asked(range=LONGEST_RANGE).address(),
        "reason_words": rejecting.reason_words(asked.reason) if asked.reason else "",
    }
    return page(request, "webhooks/rejected.html", context, partials={"rejected"})
