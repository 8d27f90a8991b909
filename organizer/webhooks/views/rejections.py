from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.webhooks import queries
from organizer.webhooks import rejections as rejecting
from organizer.webhooks.models import Reason
from organizer.webhooks.rejections import Asked
from organizer.webhooks.tabs import tabs


@requires(*ADMINS)
@require_safe
def rejected(request: OrganizationRequest) -> HttpResponse:
    vendors = queries.vendors(request.organization)
    vendor, reason = request.GET.get("vendor", ""), request.GET.get("reason", "")
    asked = Asked(
        vendor if vendor in {one.key for one in vendors} else "", reason if reason in Reason.values else ""
    )  # fmt: skip
    found = rejecting.rejected(
        request.organization, vendors, asked,
        cursor=request.GET.get("after", ""), since=queries.day_before(timezone.now()),
    )  # fmt: skip
    context = {
        "tabs": tabs(request.organization),
        "here": request.path,
        "asked": asked,
        "rejected": found,
        "page": found.page,
        "choices": [(one, asked.address(vendor=one.key)) for one in vendors],
        "any_vendor": asked.address(vendor=""),
        "any_reason": asked.address(reason=""),
        "reason_words": rejecting.reason_words(asked.reason) if asked.reason else "",
    }
    return page(request, "webhooks/rejected.html", context, partials={"rejected"})
