"""Reads for the import's pages, and what a dry run must know of the event."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple
from typing import Any
from uuid import UUID

from django.db.models.functions import Lower
from django.http import Http404

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.queries import classes_to_give
from organizer.events.models import Event, TicketClass
from organizer.imports import headings
from organizer.imports.models import Columns, Import
from organizer.imports.reading import Row, Table
from organizer.imports.rules import Checked, Class, Known, Verdict
from organizer.kit.text import fold

LATEST = 10
STRONGEST = ("checked_in", "valid", "pending_approval", "invited", "rejected", "deleted")


def load(organization: Organization, import_id: UUID, *, without: Sequence[str] = ()) -> Import:
    """Raises Http404, also for another organization's import. What a page does not need is a megabyte."""
    mine = Import.objects.filter(organization=organization, pk=import_id, event__connection__live=True)
    found = mine.select_related("event__connection", "batch").defer(*without).first()
    if found is None:
        raise Http404
    return found


def latest(event: Event) -> Sequence[Import]:
    mine = Import.objects.filter(event=event).select_related("batch")
    return list(mine.defer("rows", "checked").order_by("-created_at")[:LATEST])


def table(found: Import) -> Table:
    rows = tuple(Row(number, tuple(cells)) for number, cells in found.rows)
    return Table(tuple(found.header), rows, found.how)


def checked(found: Import) -> list[Checked]:
    return [Checked(number, Verdict(verdict), *rest) for number, verdict, *rest in found.checked]


def as_kept(rows: Sequence[Checked]) -> list[tuple[Any, ...]]:
    return [astuple(one) for one in rows]


def known(event: Event) -> Known:
    counts = StatusCount.objects.filter(event=event, status__in=("valid", "checked_in")).values_list("count", flat=True)
    room = max(event.capacity - sum(counts), 0) if event.capacity else None
    return Known(statuses(event), _by_name(classes_to_give(event)), room)


def statuses(event: Event, of: Collection[str] | None = None) -> dict[str, str]:
    """By address in lower case; of several tickets the strongest status."""
    mine = Attendee.objects.filter(event=event, gone_at=None).exclude(email="")
    if of is not None:
        mine = mine.alias(address=Lower("email")).filter(address__in=of)
    found: dict[str, str] = {}
    for email, status, remote_id, outbox in mine.order_by().values_list("email", "status", "remote_id", "outbox"):
        if remote_id is None and outbox.get("state") in ("refused", "parked"):
            continue  # never made
        address = email.lower()
        found[address] = min(found.get(address, status), status, key=_strength)
    return found


def remembered(organization: Organization, of: Table) -> tuple[tuple[str, ...], bool]:
    """What each column is: as the person said of these headings the last time, else as they read."""
    kept = Columns.objects.filter(organization=organization, digest=headings.digest(of.header)).first()
    if kept:
        return headings.recall(of.header, kept.fields), True
    return headings.guess(of), False


def _by_name(known: Iterable[TicketClass]) -> dict[str, Class]:
    """Of two with one name neither is meant by it: the id tells them apart."""
    by: dict[str, Class] = {}
    known = list(known)
    names = [fold(one.name) for one in known]
    for one, name in zip(known, names, strict=True):
        room = max(one.quantity_total - one.quantity_sold, 0) if one.quantity_total else None
        by[one.remote_id or ""] = Class(one.remote_id or "", one.name, room)
        if names.count(name) == 1:
            by[name] = by[one.remote_id or ""]
    return by


def _strength(status: str) -> int:
    return STRONGEST.index(status) if status in STRONGEST else STRONGEST.index("valid")
