"""Orders: the list, one of them, and its tickets. No page asks a supplier."""

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import done, page
from organizer.orders import actions, bulks, fulfilments, queries, tasks
from organizer.orders.rows import LateLine, OrderRow
from organizer.orders.story import OrderPage

_NAV = {"nav": "orders"}


@requires(*ADMINS)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    asked, vendor = request.GET.get, request.GET.get("vendor", "")
    found = queries.orders(
        request.organization, tab=asked("tab", ""), q=asked("q", ""), vendor=vendor, cursor=asked("after", "")
    )
    context = {
        "found": found,
        "rows": [OrderRow(order) for order in found.rows],
        "late": [LateLine(one) for one in found.late],
        "vendors": queries.vendors(request.organization),
        "vendor_key": vendor,
        "shown": "?" + urlencode({"tab": found.tab, "q": found.q, "vendor": vendor}),
        "under_way": [bulks.Progress.of(one) for one in bulks.under_way(request.organization)],
    }
    return page(request, "orders/index.html", context | _NAV, partials={"order-list"})


@requires(*ADMINS)
@require_safe
def detail(request: OrganizationRequest, order_id: UUID) -> HttpResponse:
    order = queries.load(request.organization, order_id)
    context = {"order": order, "told": OrderPage(order, timezone.now())}
    return page(request, "orders/detail.html", context | _NAV, partials={"order"})


@requires(*ADMINS)
@require_POST
def reconcile(request: OrganizationRequest, order_id: UUID) -> HttpResponse:
    order = queries.load(request.organization, order_id)
    actions.look(order=order, by=request.user)
    tasks.reconcile.delay_on_commit(vendor_id=str(order.vendor_id))
    text = _("%s is asked now.") % order.vendor.name
    if request.htmx:  # type: ignore[attr-defined]
        return done(request, "order-changed", toast=text)
    messages.success(request, text)
    return redirect("orders:detail", request.organization.slug, order.pk)


@requires(*ADMINS)
@require_safe
def ticket(request: OrganizationRequest, order_id: UUID, ticket_id: UUID) -> HttpResponseBase:
    """Somebody else's bytes: never shown by the browser, and its name is ours."""
    found = queries.load_ticket(request.organization, order_id, ticket_id)
    name = fulfilments.file_name(found)
    try:
        file = found.file.open("rb") if found.file else None
    except FileNotFoundError:
        actions.fetch_again(ticket=found)
        tasks.reconcile.delay_on_commit(vendor_id=str(found.order.vendor_id))
        messages.error(request, _("Its file was not here any more. It is fetched again now."))
        return redirect("orders:detail", request.organization.slug, order_id)
    actions.note_download(ticket=found, by=request.user)
    if file:
        answer: HttpResponseBase = FileResponse(file, as_attachment=True, filename=name)
    else:
        answer = HttpResponse(found.value, headers={"Content-Disposition": f'attachment; filename="{name}"'})
    answer["Content-Type"] = "application/octet-stream"
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "no-store"
    return answer
