"""A new order, put together and placed."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.orders import actions, basket, listings, queries
from organizer.orders.basket import Basket
from organizer.orders.forms import CustomerForm
from organizer.orders.models import Order
from organizer.orders.rows import ListingRow
from organizer.webhooks.models import Vendor

_NAV = {"nav": "orders"}


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
