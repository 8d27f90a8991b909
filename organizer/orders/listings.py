"""What a supplier sells, asked for by a person while typing. No page asks it: the worker does."""

import logging
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.db import transaction
from django.utils import timezone

from organizer.connections import actions as connections
from organizer.connections import clients
from organizer.kit.text import clean
from organizer.orders import gate
from organizer.orders.models import ListingSearch
from organizer.upstream.errors import UpstreamError
from organizer.upstream.limits import Lane
from organizer.upstream.supplier_api import Listing
from organizer.webhooks.models import Vendor

log = logging.getLogger(__name__)

TASK = "organizer.orders.tasks.search_listings"
FRESH_FOR = timedelta(seconds=60)
ASKED_AGAIN_AFTER = timedelta(seconds=15)
"""A question that nobody took up by then is put once more."""
MOST = 50


def search(*, vendor: Vendor, q: str, now: datetime | None = None) -> ListingSearch:
    """What is known by now; a question that is open or old is put to the worker."""
    now = now or timezone.now()
    q = " ".join(clean(q).split())[:100]
    found, made = ListingSearch.objects.get_or_create(vendor=vendor, q=q, defaults={"asked_at": now})
    answered = found.answered_at is not None and found.answered_at >= found.asked_at
    again_at = found.asked_at + (FRESH_FOR if answered else ASKED_AGAIN_AFTER)
    if made or again_at < now:
        found.asked_at = now
        found.save(update_fields=["asked_at"])
        transaction.on_commit(lambda: _kick(found.pk))
    return found


def is_open(found: ListingSearch) -> bool:
    return found.answered_at is None or found.answered_at < found.asked_at


def answer(search_id: Any, *, now: Callable[[], datetime] = timezone.now) -> None:
    found = ListingSearch.objects.select_related("vendor__connection").filter(pk=search_id).first()
    if found is None or not is_open(found):
        return
    changes: dict[str, Any] = {"problem": ""}
    vendor = found.vendor
    if vendor.connection is None:
        return
    try:
        gate.take(vendor, now())
        with clients.supplier_api(vendor.connection, Lane.PERSON, 2.0, 10.0) as api:
            page = api.listings.page(found.q, 1)
        changes |= {"found": [_row(one) for one in page.items[:MOST]], "total": page.total}
    except gate.Closed:
        changes["problem"] = gate.of(vendor, now()).problem
    except UpstreamError as error:
        connections.note_failure(connection=vendor.connection, error=error)
        changes["problem"] = error.message
    else:
        connections.note_success(connection=vendor.connection)
    ListingSearch.objects.filter(pk=found.pk).update(answered_at=now(), **changes)


def known(vendor: Vendor, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """By their ids, what they said when they were found, the latest first; without those that nobody found."""
    told: dict[str, dict[str, Any]] = {}
    if ids:
        for found in ListingSearch.objects.filter(vendor=vendor, answered_at__isnull=False).order_by("-answered_at"):
            for row in found.found:
                if row["id"] in ids:
                    told.setdefault(row["id"], row)
    return told


def _row(one: Listing) -> dict[str, Any]:
    return {
        "id": one.id,
        "event_name": one.event_name,
        "starts_at": one.starts_at.isoformat() if one.starts_at else None,
        "section": one.section,
        "price": str(one.price),
        "currency": one.currency,
        "available": one.available,
    }


def _kick(search_id: int) -> None:
    try:
        current_app.send_task(TASK, kwargs={"search_id": search_id})
    except Exception:
        log.warning("a search could not be queued", exc_info=True)
