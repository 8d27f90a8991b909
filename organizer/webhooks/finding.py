"""One search box: what is looked for is known by its look, and found through an index. Bodies are never searched."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Func, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from organizer.webhooks.models import Delivery
from organizer.webhooks.receiver import intake, sources

FEW = 1_000
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
    number: int | None = None
    """How many, where the matches are known one by one."""


def find(everything: QuerySet[Delivery], vendor_ids: list[UUID], q: str) -> Found:
    """`everything` is an organization's; `vendor_ids` are all of its suppliers'."""
    if address := sources.parse(sources.without_port(q)):
        return Found(_("Address"), everything.filter(source=str(address)))
    theirs = Delivery.objects.filter(vendor__in=vendor_ids)
    if by_id := _few(theirs.filter(dedupe_key=intake.dedupe_key(q, b""))):
        return _named(_("Delivery id"), by_id)
    by_event = everything.filter(event=q)
    if by_event.exists():
        return Found(_("Event"), by_event)
    begins = _few(theirs.filter(reference__gte=q, reference__lt=q + _BEYOND))
    if len(begins) <= FEW:
        return _named(_("Reference"), begins)
    walked = everything.alias(walked=Walked("reference"))
    return Found(_("Reference"), walked.filter(walked__gte=q, walked__lt=q + _BEYOND))


def _few(rows: QuerySet[Delivery]) -> list[int]:
    """Without filter or order, so that the index of what is looked for answers alone. One more stands for many."""
    return list(rows.order_by().values_list("pk", flat=True)[: FEW + 1])


def _named(kind: Promise, keys: list[int]) -> Found:
    return Found(kind, Delivery.objects.filter(pk__in=keys), len(keys))
