"""Keys of the shop's own API."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.orders import shops
from organizer.orders.forms import ShopKeyForm


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
