"""The tickets of an order: which there are, and their files fetched into a store of our own."""

import logging
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.db.models import Q

from organizer.kit.ids import new_id
from organizer.orders import rules
from organizer.orders.models import Order, Ticket
from organizer.upstream.supplier_api import File, Fulfilment

log = logging.getLogger(__name__)
AVAILABLE = "available"
MOST = 1000
"""Tickets of one order: more are nobody's wish, and would fill the disk."""
ENDINGS = {
    "application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg",
    "application/vnd.apple.pkpass": ".pkpass", "text/plain": ".txt",
}  # fmt: skip


class NoRoom(Exception):
    """A file could not be written."""


def keep(order: Order, found: Fulfilment, now: datetime) -> int:
    """Notes the tickets that can be fetched. How many are new. In the transaction that holds the order."""
    known = set(order.tickets.values_list("remote_id", flat=True))
    named = {one.id: one for one in found.tickets if one.id not in known}
    if len(known) + len(named) > MOST:
        log.warning("%s has more than %d tickets: the others are left out", order.reference, MOST)
    fresh = [
        Ticket(
            organization_id=order.organization_id, order=order, remote_id=one.id, type=one.type, row=one.row,
            seat=one.seat, value=one.value, seen_at=now, next_at=now,
        )
        for one in islice(named.values(), max(MOST - len(known), 0))
    ]  # fmt: skip
    Ticket.objects.bulk_create(fresh)
    return len(fresh)


def expected(order: Order, found: Fulfilment) -> int:
    said = found.payload.get("expected")
    if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < 10_000:
        return said
    return sum(int(one.get("quantity", 0)) for one in order.wanted)


def next_to_fetch(order: Order, now: datetime) -> Ticket | None:
    return order.tickets.filter(next_at__lte=now).select_related("order").order_by("next_at", "pk").first()


def stored(ticket: Ticket, file: File | None, now: datetime) -> None:
    """`file` is None where the ticket's value is all there is. Raises `NoRoom`."""
    changes: dict[str, Any] = {"fetched_at": now, "next_at": None, "problem": ""}
    if file:
        name = f"{ticket.order_id}/{new_id().hex}{ENDINGS.get(file.content_type, '')}"
        changes["file"] = _save(ticket.file.storage, name, file.content)
        changes |= {"content_type": file.content_type, "size": len(file.content)}
    Ticket.objects.filter(pk=ticket.pk).update(**changes)


def _save(storage: Storage, name: str, content: bytes) -> str:
    """Whole or not at all: what was begun would take the room that is missing."""
    try:
        return storage.save(name, ContentFile(content))
    except OSError as problem:
        with suppress(OSError):
            storage.delete(name)
        raise NoRoom from problem


def not_fetched(ticket: Ticket, problem: str, now: datetime, luck: float) -> None:
    tries = ticket.tries + 1
    again = rules.retry(tries, now, luck) or rules.next_check(now, rules.FULFILMENT_EVERY, luck)
    Ticket.objects.filter(pk=ticket.pk).update(tries=tries, problem=problem, next_at=again)


def postpone(ticket: Ticket, until: datetime) -> None:
    Ticket.objects.filter(pk=ticket.pk).update(next_at=until)


def file_name(ticket: Ticket) -> str:
    """Ours: what the supplier calls it may be anything."""
    ending = ENDINGS.get(ticket.content_type, "") if ticket.file else ".txt"
    place = "".join(one for one in f"{ticket.row}{ticket.seat}" if one.isascii() and one.isalnum())
    reference = "".join(one if one.isascii() and one.isalnum() else "-" for one in ticket.order.reference)
    return f"{reference}-{place or ticket.pk.hex[-6:]}{ending}"


def forget_files(order_ids: list[UUID]) -> None:
    for ticket in Ticket.objects.filter(~Q(file=""), order__in=order_ids):
        ticket.file.delete(save=False)
