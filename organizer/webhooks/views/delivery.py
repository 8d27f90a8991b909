"""A delivery: what it said, what became of it, and what can be done about its body."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.pages import page
from organizer.webhooks import bodies, queries, registry, samples, suppliers
from organizer.webhooks.forms import NoteForm
from organizer.webhooks.layout import PRETTY, VIEWS
from organizer.webhooks.models import Delivery
from organizer.webhooks.story import MOST_RELATED, Told
from organizer.webhooks.tabs import tabs


@requires(*ADMINS)
@require_safe
def detail(request: OrganizationRequest, delivery_id: int) -> HttpResponse:
    """Who sees the body is written down."""
    delivery = _delivery(request, delivery_id)
    view = request.GET.get("as", PRETTY)
    told = Told(delivery, timezone.now())
    if delivery.body is not None and request.method == "GET":
        bodies.note_look(delivery=delivery, by=request.user)
    context = {
        "tabs": tabs(request.organization),
        "delivery": delivery,
        "told": told,
        "row": told.row,
        "shown": told.shown(view if view in VIEWS else PRETTY),
        "acts": registry.sequel().delivery_acts,
        "note": queries.note(delivery),
        "note_form": NoteForm(),
        "again": samples.again(suppliers.address(delivery.vendor), delivery, told.copied) if told.copied else "",
        "most_related": MOST_RELATED,
    }
    return page(request, "webhooks/delivery.html", context, partials={"delivery-body", "delivery-told"})


@requires(*ADMINS)
@require_safe
def download(request: OrganizationRequest, delivery_id: int) -> HttpResponse:
    """The very bytes, as nothing that a browser would open."""
    delivery = _delivery(request, delivery_id)
    if delivery.body is None:
        raise Http404
    if request.method == "GET":
        bodies.note_look(delivery=delivery, by=request.user)
    answer = HttpResponse(bytes(delivery.body), content_type="application/octet-stream")
    answer["Content-Disposition"] = f'attachment; filename="delivery-{delivery.pk}.bin"'
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "no-store"
    return answer


@requires(*ADMINS)
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: OrganizationRequest, delivery_id: int) -> HttpResponse:
    delivery = _delivery(request, delivery_id)
    if request.method == "POST":
        bodies.erase_body(delivery=delivery, by=request.user)
        messages.success(request, _("The body is erased. What it was about stays."))
        return redirect("webhooks:detail", request.organization.slug, delivery.pk)
    return page(request, "webhooks/erase.html", {"delivery": delivery})


@requires(*ADMINS)
@require_POST
def read_again(request: OrganizationRequest, delivery_id: int) -> HttpResponse:
    delivery = _delivery(request, delivery_id)
    if bodies.read_again(delivery=delivery, by=request.user):
        messages.success(request, _("An order was found in it. The supplier is asked about it now."))
    else:
        messages.info(request, _("Read again by today's rules: there is no order in it."))
    return redirect("webhooks:detail", request.organization.slug, delivery.pk)


@requires(*ADMINS)
@require_POST
def note(request: OrganizationRequest, delivery_id: int) -> HttpResponse:
    delivery, form = _delivery(request, delivery_id), NoteForm(request.POST)
    if request.POST.get("remove") == "1":
        bodies.take_back_note(delivery=delivery, by=request.user)
        messages.success(request, _("It is open again."))
    elif form.is_valid():
        bodies.keep_note(delivery=delivery, text=form.cleaned_data["text"], by=request.user)
        messages.success(request, _("Noted. Everybody sees it in the list."))
    else:
        return page(request, "webhooks/note.html", {"delivery": delivery, "form": form}, status=422)
    return redirect("webhooks:detail", request.organization.slug, delivery.pk)


def _delivery(request: OrganizationRequest, delivery_id: int) -> Delivery:
    found = queries.delivery(request.organization, delivery_id)
    if found is None:
        raise Http404
    return found
