"""What `sync` needs to know to mirror the guests of an event, and their counts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet

from organizer.attendees import rules
from organizer.attendees.models import Admission, Attendee, StatusCount
from organizer.connections.models import Connection
from organizer.events.mirror import event_id, wanted_by_event
from organizer.events.models import TicketClass
from organizer.sync.models import FAILED, Command
from organizer.sync.registry import Item, Noun, Page, Wanted
from organizer.sync.rules import PAGE_SIZE, Fact, Json, text
from organizer.upstream.event_api import EventApi

CROWDED = 1_000
"""Rows of one event: more than its classes, statuses and five minutes come to."""


class AttendeeNoun(Noun):
    name = "attendees"
    model = Attendee
    needs = "attendees:read"
    shown_at = ("attendees:detail", "attendee_id")
    statuses = (
        "valid,checked_in,pending_approval,invited,rejected,deleted",
        "valid,checked_in,pending_approval,invited",
        "valid,checked_in,pending_approval",
        "valid,checked_in",
    )

    def page(self, api: EventApi, scope: str, number: int, status: str | None) -> Page:
        return api.attendees.page(scope, number, size=PAGE_SIZE, status=status or self.statuses[0])

    def read(self, api: EventApi, scope: str, remote_id: str) -> Item:
        return api.attendees.get(scope, remote_id)

    def rows(self, connection: Connection, scope: str) -> QuerySet[Attendee]:
        return Attendee.objects.filter(event__connection=connection, event__remote_id=scope)

    def listed(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """A deleted one may be left out of the list and answer by its id for ever."""
        return rows.exclude(status="deleted")

    def effective(self, payload: Json, commands: Iterable[Json] = ()) -> rules.AttendeeColumns:
        return rules.effective(payload, commands)

    def links(self, connection: Connection, scope: str, items: Collection[Item]) -> Callable[[Json], dict[str, Any]]:
        event = event_id(connection, scope)
        wanted = {text(item.payload.get("ticket_class_id")) for item in items}
        classes = dict(
            TicketClass.objects.filter(connection=connection, remote_id__in=wanted).values_list("remote_id", "pk")
        )
        return lambda payload: {
            "event_id": event,
            "ticket_class_id": classes.get(text(payload.get("ticket_class_id"))),
        }

    def wanted(self, connection: Connection, now: datetime) -> Iterable[Wanted]:
        return wanted_by_event(connection, now)

    def tally(self, row: Attendee) -> tuple[Any, ...] | None:
        never_made = row.remote_id is None and row.outbox.get("state") in FAILED
        if row.gone_at is not None or never_made:
            return None
        slot = rules.slot_of(row.status, row.checked_in_at)
        return row.event_id, row.ticket_class_id, row.status, slot, row.door if row.status == "checked_in" else ""

    def facts(self, rows: Collection[Any]) -> dict[Any, Fact]:
        """Who is inside is inside, whatever the API says."""
        inside = Admission.objects.filter(attendee__in=[row.pk for row in rows], undone_at=None, left_at=None)
        admissions = list(inside.values_list("attendee_id", "at", "door", "command_seq"))
        recorded = Command.objects.filter(pk__in=[seq for *_, seq in admissions if seq])
        reasons = dict(recorded.values_list("pk", "reason")) if admissions else {}
        shown_by = {"status": "checked_in"}
        return {
            guest: Fact(shown_by | {"checked_in_at": at.isoformat(), "door": door}, shown_by, reasons.get(seq or 0, ""))
            for guest, at, door, seq in admissions
        }

    def count(self, deltas: Counter[tuple[Any, ...]]) -> None:
        _add(deltas)

    def fold(self, connection: Connection, scope: str) -> None:
        fold_counts(StatusCount.objects.filter(event__connection=connection, event__remote_id=scope))


def fold_crowded() -> None:
    """Where guests come and no walk ends, as while the API is away: a page sums few rows all the same."""
    crowded = StatusCount.objects.values_list("event_id").annotate(rows=Count("pk")).order_by()
    for event, _rows in list(crowded.filter(rows__gt=CROWDED)):
        with transaction.atomic():
            fold_counts(StatusCount.objects.filter(event=event))


def fold_counts(counts: QuerySet[StatusCount]) -> None:
    """What is added meanwhile is not among the rows that are replaced."""
    rows = list(counts.select_for_update().order_by("pk"))
    sums: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        sums[row.event_id, row.ticket_class_id, row.status, row.slot, row.door] += row.count
    if len(sums) < len(rows):
        StatusCount.objects.filter(pk__in=[row.pk for row in rows]).delete()
        _add(Counter({figure: count for figure, count in sums.items() if count}))


def _add(figures: Counter[tuple[Any, ...]]) -> None:
    StatusCount.objects.bulk_create(
        StatusCount(event_id=event, ticket_class_id=ticket_class, status=status, slot=slot, door=door, count=count)
        for (event, ticket_class, status, slot, door), count in figures.items()
    )
