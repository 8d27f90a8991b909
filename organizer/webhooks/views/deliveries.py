"""The list of deliveries, what has come since, and the list as a file."""

from datetime import UTC
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.views.decorators.http import require_safe

from organizer.accounts.access import ADMINS, OrganizationRequest, requires
from organizer.kit.exports import KINDS, response
from organizer.kit.pages import page
from organizer.lists import queries as lists
from organizer.webhooks import columns, deliveries, exports, histogram, listings, queries, registry
from organizer.webhooks.deliveries import MOST_NEWS, Scope
from organizer.webhooks.filters import RANGES, Filters, moment
from organizer.webhooks.models import Outcome, Proof
from organizer.webhooks.tabs import tabs


@requires(*ADMINS)
@require_safe
def index(request: OrganizationRequest) -> HttpResponse:
    filters = _filters(request)
    views = lists.views(request.membership, listings.NAME, "", filters.kept.address())
    if views.first and not request.GET and not request.htmx:  # type: ignore[attr-defined]
        return redirect(request.path + views.first)
    scope = Scope.of(request.organization, filters)
    found = deliveries.page(scope, request.GET.get("after", ""))
    rows = deliveries.rows_of(scope, found.rows)
    context = {
        "tabs": tabs(request.organization),
        "here": request.path,
        "scope": scope,
        "filters": filters,
        "views": views,
        "built_in": listings.built_in(scope),
        "histogram": histogram.histogram(scope),
        "page": found,
        "rows": rows,
        "watch": _watch(request, filters, scope, rows),
        "events": SimpleLazyObject(lambda: queries.events(request.organization)),
        "exports": {kind: "?" + urlencode([*filters.kept.pairs(), ("as", kind)]) for kind in KINDS},
        "list_acts": registry.sequel().list_acts,
        "columns": columns.shown(filters.columns),
        "offered": columns.COLUMNS,
        **_choices(),
    }
    return page(request, "webhooks/index.html", context, partials={"deliveries"})


@requires(*ADMINS)
@require_safe
def news(request: OrganizationRequest) -> HttpResponse:
    """Rows on screen that say something else by now, and how many have come; nothing moves."""
    filters = _filters(request)
    scope = Scope.of(request.organization, filters)
    newest = moment(request.GET.get("newest"), UTC)
    number = deliveries.newer(scope, newest) if newest else 0
    context = {
        "rows": deliveries.changed(scope, request.GET.getlist("row")),
        "number": number,
        "columns": columns.shown(filters.columns),
        "is_more": number == MOST_NEWS,
    }
    return page(request, "webhooks/news.html#delivery-news", context)


@requires(*ADMINS)
@require_safe
def export(request: OrganizationRequest) -> HttpResponseBase:
    kind = request.GET.get("as", "csv")
    if kind not in KINDS:
        raise Http404
    if request.method == "HEAD":  # nobody has taken anything along
        return HttpResponse()
    return response(exports.of_list(Scope.of(request.organization, _filters(request)), by=request.user), kind)


def _filters(request: OrganizationRequest) -> Filters:
    return Filters.read(request.GET, timezone.get_current_timezone())


def _watch(request: OrganizationRequest, filters: Filters, scope: Scope, rows: Any) -> str:
    """What the first page asks for while it is open; empty where nothing new can come, or nobody wants it."""
    if filters.paused:
        return ""
    newest = rows[0].delivery.received_at if rows else scope.now
    first_page = not request.GET.get("after") and not filters.until
    pairs = [("newest", newest.isoformat())] if first_page else []
    return "news/?" + urlencode([*pairs, *filters.kept.pairs()])


def _choices() -> dict[str, Any]:
    return {"outcomes": Outcome.choices, "proofs": Proof.choices, "ranges": RANGES.items()}
