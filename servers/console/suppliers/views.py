"""The operator's pages of the suppliers: their orders moved by hand, and what the retail service was told."""

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from servers.console.access import MemberRequest, operator
from servers.console.access import supplier as with_supplier
from servers.console.suppliers import rows
from servers.console.suppliers.forms import SettingsForm
from servers.kit.text import fold
from servers.supplier_api import rules
from servers.supplier_api.actions import deliveries as delivery_actions
from servers.supplier_api.actions import orders as order_actions
from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.models import Order, Supplier
from servers.supplier_api.rules import Status, Step


@require_safe
@operator
def index(request: MemberRequest) -> HttpResponse:
    return render(request, "console/suppliers/index.html", {"suppliers": rows.suppliers()})


@require_safe
@with_supplier
def orders(request: MemberRequest, supplier: Supplier) -> HttpResponse:
    state, before = request.GET.get("state", ""), request.GET.get("before", "")
    context = {
        "supplier": supplier,
        "section": "orders",
        "state": state,
        "before": before,
        "filters": rows.filters(supplier.orders.all(), "status", rows.ORDER_STATES),
        "page": rows.orders(supplier, status=state, before=before),
    }
    return render(request, "console/suppliers/orders.html", context)


@require_safe
@with_supplier
def order(request: MemberRequest, supplier: Supplier, order_id: str) -> HttpResponse:
    return _order(request, _found(supplier, order_id))


@require_POST
@with_supplier
def move(request: MemberRequest, supplier: Supplier, order_id: str) -> HttpResponse:
    found = _found(supplier, order_id)
    try:
        _move(request, found)
    except order_actions.CouldNotMove as problem:
        return _order(request, _found(supplier, order_id), problem=str(problem), status=422)
    return redirect("console:supplier_order", supplier.key, found.pk)


@require_safe
@with_supplier
def listings(request: MemberRequest, supplier: Supplier) -> HttpResponse:
    q = request.GET.get("q", "").replace("\x00", "")[:200]
    found = supplier.listings.order_by("starts_at", "id")
    for word in fold(q).split():
        found = found.filter(search__contains=word)
    page = Paginator(found, rows.PAGE).get_page(request.GET.get("page"))
    context = {"supplier": supplier, "section": "listings", "page": page, "q": q}
    return render(request, "console/suppliers/listings.html", context)


@require_safe
@with_supplier
def deliveries(request: MemberRequest, supplier: Supplier) -> HttpResponse:
    state, before = request.GET.get("state", ""), request.GET.get("before", "")
    context = {
        "supplier": supplier,
        "section": "deliveries",
        "state": state,
        "before": before,
        "filters": rows.filters(supplier.deliveries.all(), "state", rows.DELIVERY_STATES),
        "page": rows.deliveries(supplier.deliveries.all(), state=state, before=before),
    }
    return render(request, "console/suppliers/deliveries.html", context)


@require_safe
@with_supplier
def delivery(request: MemberRequest, supplier: Supplier, delivery_id: int) -> HttpResponse:
    found = get_object_or_404(supplier.deliveries.select_related("order"), pk=delivery_id)
    context = {
        "supplier": supplier,
        "section": "deliveries",
        "delivery": found,
        "body": bytes(found.body).decode(),
        "attempts": rows.attempts(found),
    }
    return render(request, "console/suppliers/delivery.html", context)


@require_POST
@with_supplier
def send(request: MemberRequest, supplier: Supplier, delivery_id: int) -> HttpResponse:
    """Again, under the same id; or `as=new`, which leads to the new one."""
    found = get_object_or_404(supplier.deliveries.select_related("order"), pk=delivery_id)
    if request.POST.get("as") == "new":
        found = delivery_actions.send_as_new(delivery=found) or found
    else:
        delivery_actions.send_again(delivery=found)
    return redirect("console:supplier_delivery", supplier.key, found.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@with_supplier
def settings(request: MemberRequest, supplier: Supplier) -> HttpResponse:
    form = SettingsForm(request.POST or None, instance=supplier)
    if form.is_valid():
        actions.change(supplier=supplier, **form.cleaned_data)
        return redirect("console:supplier_settings", supplier.key)
    context = {"supplier": supplier, "section": "settings", "form": form, "keys": supplier.keys.order_by("-pk")}
    return render(request, "console/suppliers/settings.html", context, status=422 if form.is_bound else 200)


@require_POST
@with_supplier
def revoke(request: MemberRequest, supplier: Supplier, key_id: int) -> HttpResponse:
    actions.revoke(key=get_object_or_404(supplier.keys, pk=key_id))
    return redirect("console:supplier_settings", supplier.key)


def _found(supplier: Supplier, order_id: str) -> Order:
    found = rows.order(supplier, order_id)
    if found is None:
        raise Http404
    return found


def _move(request: MemberRequest, order: Order) -> None:
    by = request.user.get_username()
    match request.POST.get("step"):
        case Step.ACCEPTED:
            order_actions.accept(order=order, by=by)
        case Step.REJECTED:
            order_actions.reject(order=order, reason=request.POST.get("reason", "").replace("\x00", ""), by=by)
        case Step.CANCELLED:
            order_actions.cancel(order=order, by=by)
        case Step.TICKETS:
            said = request.POST.get("count", "")
            count = int(said[:9]) if said.isascii() and said.isdecimal() else 0
            order_actions.make_available(order=order, count=count, by=by)
        case _:
            raise order_actions.CouldNotMove("Choose one of the steps below.")


def _order(request: MemberRequest, order: Order, *, problem: str = "", status: int = 200) -> HttpResponse:
    tickets = order.tickets.all()
    context = {
        "supplier": order.supplier,
        "section": "orders",
        "order": order,
        "allowed": rules.allowed(Status(order.status)),
        "waiting": sum(not ticket.retrievable_at for ticket in tickets),
        "history": rows.history(order),
        "deliveries": rows.deliveries(order.deliveries.all()).rows,
        "problem": problem,
        "reason": request.POST.get("reason", ""),
    }
    return render(request, "console/suppliers/order.html", context, status=status)
