"""Orders at suppliers: listed, placed, looked at; their tickets; and the shop's keys. No page asks a supplier."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import done, page
from organizer.orders import actions, basket, bulks, choosing, fulfilments, listings, queries, shops, tasks
from organizer.orders.basket import Basket
from organizer.orders.choosing import Asked
from organizer.orders.forms import CustomerForm, ShopKeyForm
from organizer.orders.models import Order
from organizer.orders.rows import LateLine, ListingRow, LookRow, OrderPage, OrderRow
from organizer.webhooks.models import Cause, Found, Vendor
from organizer.webhooks.tabs import tabs

_NAV = {"nav": "orders"}
MOST_SHOWN = 50


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
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: OrganizationRequest) -> HttpResponse:
    """Its buttons post the form as well: what was typed stands in no address, and stays whichever is pressed."""
    vendors = queries.vendors(request.organization)
    said, places = request.POST or request.GET, request.POST.get("do") == "place"
    vendor = next((one for one in vendors if one.key == said.get("vendor")), vendors[0] if vendors else None)
    form = CustomerForm(request.POST if places else None, initial=request.POST.dict())
    if vendor is None:
        return page(request, "orders/new.html", {"vendor": None, **_NAV})
    filled = _basket(vendor, said)
    if places and form.is_valid() and filled.is_fine:
        try:
            order = _place(request, vendor, filled, form.cleaned_data)
        except actions.CouldNotPlace as problem:
            form.add_error(None, problem.message)
        else:
            return redirect("orders:detail", request.organization.slug, order.pk)
    search = listings.search(vendor=vendor, q=said.get("q", ""))
    context = {
        "form": form,
        "places": places,
        "vendors": vendors,
        "vendor": vendor,
        "basket": filled,
        "reference": _reference(request),
        "search": search,
        "listings": [ListingRow(one) for one in search.found],
        "asking": listings.is_open(search),
    }
    partials = {"order-form", "listings", "basket"}
    return page(request, "orders/new.html", context | _NAV, partials=partials, status=422 if places else 200)


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
def shop_keys(request: OrganizationRequest) -> HttpResponse:
    """A key that was made is in the answer itself: it is kept nowhere in clear."""
    form, made = ShopKeyForm(request.POST or None), ""
    if form.is_valid():
        made = shops.make_key(organization=request.organization, name=form.cleaned_data["name"], by=request.user)
        form = ShopKeyForm()
    context = {"form": form, "made": made, "keys": shops.keys(request.organization), "nav": "settings"}
    return page(request, "orders/shop_keys.html", context, status=422 if form.is_bound else 200)


@requires(*ADMINS)
@require_POST
def revoke_key(request: OrganizationRequest, key_id: UUID) -> HttpResponse:
    shops.revoke(key=shops.load(request.organization, key_id), by=request.user)
    messages.success(request, _("Revoked. It is refused from now on."))
    return redirect("orders:shop_keys", request.organization.slug)


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


def _basket(vendor: Vendor, said: Any) -> Basket:
    wished = basket.wishes(said, vendor.key)
    return basket.fill(wished, vendor.key, listings.known(vendor, {one.listing for one in wished}))


def _reference(request: OrganizationRequest) -> str:
    """The form has it from its first showing: pressed twice, it is still one order."""
    said = request.POST.get("reference", "")
    return said if actions.OUR_REFERENCE.fullmatch(said) else actions.new_reference()


def _place(request: OrganizationRequest, vendor: Vendor, filled: Basket, said: dict[str, Any]) -> Order:
    what = {"vendor": vendor, "items": filled.items, "name": said["name"], "email": said["email"], "by": request.user}
    try:
        return actions.place(**what, reference=_reference(request))
    except actions.CouldNotPlace as problem:
        if problem.error != "reference_in_use":
            raise
        return actions.place(**what)  # somebody went back, and ordered something else
