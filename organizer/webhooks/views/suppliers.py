"""Suppliers: how they are, their settings, and their secrets."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.webhooks import actions, health, queries, registry, rules, samples, suppliers
from organizer.webhooks.forms import RotateForm, VendorForm
from organizer.webhooks.models import Auth, Vendor
from organizer.webhooks.suppliers import VendorRow
from organizer.webhooks.tabs import tabs


@requires(*ADMINS)
@require_safe
def vendors(request: OrganizationRequest) -> HttpResponse:
    context = {"tabs": tabs(request.organization), "rows": suppliers.rows(request.organization, timezone.now())}
    return page(request, "webhooks/vendors.html", context)


@requires(*ADMINS)
@require_safe
def vendor(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    row = load(request, vendor_id)
    context = {
        "tabs": tabs(request.organization),
        "row": row,
        "vendor": row.vendor,
        "health": health.of(row.vendor, row.now),
        "checklist": suppliers.checklist(row),
        "senders": suppliers.old_senders(row),
        "alarms": registry.alarms().of(row.vendor),
        "samples": _samples(row),
        "vectors": samples.vectors(row.secret) if row.signs and row.secret else [],
    }
    return page(request, "webhooks/vendor.html", context)


@requires(*ADMINS)
@require_safe
def checklist(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    row = load(request, vendor_id)
    context = {"row": row, "vendor": row.vendor, "checklist": suppliers.checklist(row)}
    return page(request, "webhooks/checklist.html#checklist", context)


@requires(*ADMINS)
@require_safe
def secrets(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    """Asked for again and again while a rotation lasts: who still uses the old one."""
    row = load(request, vendor_id)
    context = {"row": row, "vendor": row.vendor, "senders": suppliers.old_senders(row)}
    return page(request, "webhooks/secrets.html#secrets", context)


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def new_vendor(request: OrganizationRequest) -> HttpResponse:
    form = VendorForm(request.POST or None)
    if form.is_valid():
        said = form.cleaned_data
        secret = _secret(form) if said["auth"] == Auth.HMAC else ""
        try:
            vendor = actions.add_vendor(
                organization=request.organization, by=request.user, key=said["key"], secret=secret,
                orders_key=said["orders_key"], **form.changes,
            )  # fmt: skip
        except actions.CouldNotSave as problem:
            _blame(form, problem)
        else:
            return _told_once(request, vendor, secret, made=not said["secret"])
    context = {"form": form, "tabs": tabs(request.organization)}
    return page(request, "webhooks/vendor_form.html", context, status=_status(form))


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit_vendor(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    row = load(request, vendor_id)
    form = VendorForm(request.POST or None, vendor=row.vendor, has_secret=bool(row.secrets))
    if form.is_valid():
        said = form.cleaned_data
        try:
            changed = actions.change_vendor(
                vendor=row.vendor, by=request.user, orders_key=said["orders_key"], **_named(row.vendor, form.changes)
            )
        except actions.CouldNotSave as problem:
            _blame(form, problem)
        else:
            if changed.auth == Auth.HMAC and not row.secrets:
                secret = _secret(form)
                actions.rotate_secret(vendor=changed, secret=secret, by=request.user, overlap=timedelta(0))
                return _told_once(request, changed, secret, made=not said["secret"])
            messages.success(request, _("Saved. It holds for the next delivery."))
            return redirect("webhooks:vendor", request.organization.slug, changed.pk)
    context = {"form": form, "row": row, "vendor": row.vendor, "tabs": tabs(request.organization)}
    return page(request, "webhooks/vendor_form.html", context, status=_status(form))


@requires(*ADMINS)
@require_POST
def switch(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    row, on = load(request, vendor_id), request.POST.get("on") == "1"
    actions.change_vendor(vendor=row.vendor, by=request.user, active=on)
    messages.success(request, _("Switched on.") if on else _("Switched off: it is answered 404 from now on."))
    return redirect("webhooks:vendor", request.organization.slug, row.vendor.pk)


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def rotate(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    row = load(request, vendor_id)
    form = RotateForm(request.POST or None)
    if form.is_valid():
        secret, hours = _secret(form), form.cleaned_data["hours"]
        actions.rotate_secret(vendor=row.vendor, secret=secret, by=request.user, overlap=timedelta(hours=hours))
        return _told_once(request, row.vendor, secret, made=not form.cleaned_data["secret"])
    context = {"form": form, "row": row, "vendor": row.vendor, "tabs": tabs(request.organization)}
    return page(request, "webhooks/rotate.html", context, status=_status(form))


@requires(*ADMINS)
@require_POST
def end_old_secrets(request: OrganizationRequest, vendor_id: UUID) -> HttpResponse:
    row = load(request, vendor_id)
    actions.end_old_secrets(vendor=row.vendor, by=request.user)
    messages.success(request, _("The old secret counts no more."))
    return redirect("webhooks:vendor", request.organization.slug, row.vendor.pk)


def load(request: OrganizationRequest, vendor_id: UUID) -> VendorRow:
    found = queries.vendor(request.organization, vendor_id)
    if found is None:
        raise Http404
    return VendorRow.of(found, timezone.now())


def _samples(row: VendorRow) -> Any:
    return samples.samples(row.address, row.vendor.signature_header) if row.signs else samples.unsigned(row.address)


def _secret(form: Any) -> str:
    """What was typed, or a new one."""
    return form.cleaned_data.get("secret") or rules.new_secret()


def _told_once(request: OrganizationRequest, vendor: Vendor, secret: str, *, made: bool) -> HttpResponse:
    """The answer itself shows a secret that was made: it is kept nowhere in clear, and so not redirected to."""
    if not secret or not made:
        messages.success(request, _("Saved. It holds for the next delivery."))
        return redirect("webhooks:vendor", request.organization.slug, vendor.pk)
    row = VendorRow.of(vendor, timezone.now())
    context = {"row": row, "vendor": vendor, "secret": secret, "tabs": tabs(request.organization)}
    return page(request, "webhooks/secret.html", context)


def _named(vendor: Vendor, changes: dict[str, Any]) -> dict[str, Any]:
    return changes | {"name": changes["name"] or vendor.key}


def _blame(form: Any, problem: actions.CouldNotSave) -> None:
    form.add_error(problem.field if problem.field in form.fields else None, problem.message)


def _status(form: Any) -> int:
    return 422 if form.is_bound else 200
