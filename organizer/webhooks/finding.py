"""One search box: what is looked for is known by its look, and found through an index. Bodies are never searched."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Func, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from organizer.webhooks.models import Delivery
from organizer.webhooks.receiver import intake, sources

FEW = 2_000
"""Up to so many matches are named one by one; more are met soon enough by walking the list in its order."""
_BEYOND = "\U0010ffff"


class Walked(Func):
    """A column as it stands in the row: SQLite would look it up in its index, and sort all that it found there."""

    arity = 1

    def as_sql(self, *args: Any, **more: Any) -> Any:
        return super().as_sql(*args, **more | {"template": "%(expressions)s"})

    def as_sqlite(self, *args: Any, **more: Any) -> Any:
        return super().as_sql(*args, **more | {"template": "+%(expressions)s"})


@dataclass(frozen=True)
class Found:
    kind: Promise | None
    """What the text was taken for."""
    rows: QuerySet[Delivery]
    few: bool
    """The matches are known one by one."""


def find(everything: QuerySet[Delivery], vendor_ids: list[object], q: str) -> Found:
    """`everything` is an organization's; `vendor_ids` are all of its suppliers'."""
    if address := sources.parse(sources.without_port(q)):
        return _few(_("Address"), everything.filter(source=str(address)))
    of_vendors = Q(vendor__in=vendor_ids)
    by_id = everything.filter(of_vendors, dedupe_key=intake.dedupe_key(q, b""))
    if by_id.exists():
        return _few(_("Delivery id"), by_id)
    by_event = everything.filter(event=q)
    if by_event.exists():
        return _few(_("Event"), by_event)
    begins = everything.filter(of_vendors, reference__gte=q, reference__lt=q + _BEYOND).exclude(reference="")
    many = everything.alias(walked=Walked("reference")).filter(walked__gte=q, walked__lt=q + _BEYOND)
    return _few(_("Reference"), begins, many)


def _few(kind: Promise, rows: QuerySet[Delivery], many: QuerySet[Delivery] | None = None) -> Found:
    """Asked first without filter or order, so that the index of what is looked for answers alone.

    `many` are the same rows, worded for walking the list.
    """
    found = list(rows.order_by().values_list("pk", flat=True)[: FEW + 1])
    if len(found) > FEW:
        return Found(kind, rows if many is None else many, few=False)
    return Found(kind, Delivery.objects.filter(pk__in=found), few=True)
