"""The day-of view of an event: kept counts, and the few guests that it names. Rows answer what the screen asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.attendees import figures
from organizer.attendees.figures import Figures
from organizer.attendees.models import Admission, Attendee
from organizer.attendees.rules import SLOT, slot
from organizer.events.models import Event
from organizer.events.phases import end_of
from organizer.events.queries import EventRow
from organizer.kit import charts, days
from organizer.kit.charts import Drawing, Mark, Point
from organizer.overview.doors import DoorRow, Refusal, doors, turned_away
from organizer.overview.timeline import Stretch, Timeline, Window, timeline, window

LAST = 8
ODD = 5
MOST_ODD = 100


@dataclass(frozen=True)
class ClassRow:
    name: str
    inside: int
    expected: int


@dataclass(frozen=True)
class ArrivalRow:
    guest: Attendee
    admission: Admission | None
    """None where the provider says so: somebody let the guest in who does not work with Foyer."""

    @property
    def at(self) -> datetime | None:
        return self.guest.checked_in_at


@dataclass(frozen=True)
class OddRow:
    guest: Attendee

    @property
    def why(self) -> str:
        said = self.guest.outbox
        state, reason = said.get("state"), said.get("reason", "")
        if state == "unrecorded":
            return _("Is inside; the provider does not know.") + f" {reason}"
        if state == "parked":
            return _("Nobody knows whether the provider has done it.")
        if state == "refused":
            return _("The provider refused a change.") + f" {reason}"
        if self.guest.gone_at:
            return _("No longer found at the provider.")
        return _("The provider's answer was odd.")


@dataclass(frozen=True)
class Arrivals:
    """What is known of when guests came."""

    figures: Figures
    line: Timeline
    now: datetime

    @property
    def since(self) -> datetime:
        """The last whole five minutes, and those under way."""
        return slot(self.now) - SLOT

    @property
    def lately(self) -> int:
        return sum(count for at, count in self.figures.arrivals.items() if at >= self.since)

    @property
    def elsewhen(self) -> int:
        """Who is in, and not drawn: came at another time, or at one that nobody knows."""
        return max(0, self.figures.inside - self.line.came)

    @property
    def since_clock(self) -> str:
        return self.line.clock(self.since)

    @cached_property
    def left(self) -> Sequence[tuple[Stretch, int]]:
        """After each stretch that has begun, how many of those who have a ticket today were not in yet."""
        begun = [one for one in self.line.stretches if one.at <= self.now or one.count]
        came = accumulate(one.count for one in begun)
        return [(one, self.at_first - number) for one, number in zip(begun, came, strict=True)]

    @property
    def at_first(self) -> int:
        return self.figures.expected - self.elsewhen

    @property
    def told(self) -> Sequence[tuple[Stretch, int]]:
        """For the table: when somebody came, and who was missing then."""
        return [(one, left) for one, left in self.left if one.count]

    @property
    def title(self) -> str:
        said = _("%(left)s of %(expected)s are still expected.")
        numbers = {"left": intcomma(self.figures.going), "expected": intcomma(self.figures.expected)}
        return f"{self.line.title} {said % numbers}" if self.figures.expected else self.line.title

    @cached_property
    def drawing(self) -> Drawing:
        return charts.columns(self.line.columns, self.line.ticks, curve=self._curve)

    @property
    def _curve(self) -> Sequence[Point]:
        """Ends now: what is to come is nobody's knowledge."""
        if not self.figures.expected:
            return []
        minute = self.now.replace(second=0, microsecond=0)  # a drawing is not another each second
        ends = [(min(one.at + self.line.step, minute), left) for one, left in self.left]
        return [Point(0, self.at_first), *(Point(self.line.share(at), left) for at, left in ends)] if ends else []

    @property
    def marks(self) -> tuple[Mark | None, Mark | None]:
        start, now = self.line.start_mark, self.line.now_mark
        return (
            None if start is None else Mark(start, _("Start")),
            None if now is None else Mark(now, self.line.now_clock),
        )

    @cached_property
    def spark(self) -> Drawing:
        return charts.columns(self.line.columns, spark=True)


@dataclass(frozen=True)
class DayOf:
    row: EventRow
    figures: Figures
    arrivals: Arrivals
    classes: Sequence[ClassRow]
    doors: Sequence[DoorRow]
    turned_away: Sequence[Refusal]
    last: Sequence[ArrivalRow]
    odd: Sequence[OddRow]
    number_odd: int

    @property
    def number_away(self) -> int:
        return sum(one.tickets for one in self.turned_away)

    @property
    def any_odd(self) -> str:
        return f"{self.number_odd}+" if self.number_odd == MOST_ODD else str(self.number_odd)


def day_of(event: Event, now: datetime | None = None) -> DayOf:
    now = now or timezone.now()
    drawn = _window(event, now)
    kept = figures.of([event], drawn.opens, drawn.closes)[event.pk]
    came, odd = arrivals(event, kept, now), _odd(event)
    return DayOf(
        row=EventRow(event, now, kept.by_status),
        figures=kept,
        arrivals=came,
        classes=_classes(event),
        doors=doors(event, came.since) if kept.inside else [],
        turned_away=turned_away(event),
        last=_last(event) if kept.inside else [],
        odd=[OddRow(guest) for guest in odd[:ODD]],
        number_odd=len(odd),
    )


def arrivals(event: Event, kept: Figures, now: datetime) -> Arrivals:
    line = timeline(kept.arrivals, _window(event, now), now=now, zone=days.zone_named(event.timezone))
    return Arrivals(kept, line, now)


def _window(event: Event, now: datetime) -> Window:
    ends_at = end_of(event.starts_at, event.ends_at) if event.starts_at else None
    return window(starts_at=event.starts_at, ends_at=ends_at, now=now)


def _classes(event: Event) -> Sequence[ClassRow]:
    """In the order of the API's list, those with guests; then who has a class that we do not know."""
    kept: Mapping[Any, figures.OfClass] = figures.by_class(event)
    known = event.ticket_classes.order_by("listed_at", "id").values_list("pk", "name") if kept else []
    rows = [ClassRow(name, kept[pk].inside, kept[pk].expected) for pk, name in known if pk in kept]
    others = kept.keys() - {pk for pk, _name in known}
    if others:
        inside, expected = (sum(getattr(kept[pk], what) for pk in others) for what in ("inside", "expected"))
        rows.append(ClassRow(_("Without a class"), inside, expected))
    return rows


def _last(event: Event) -> Sequence[ArrivalRow]:
    """By the guests and not by our admissions: who was let in elsewhere is inside as well."""
    came = Attendee.objects.filter(event=event, checked_in_at__isnull=False).order_by("-checked_in_at", "-id")
    # by status below: a database that filters by it first sorts everybody
    newest = came.only("name", "email", "ticket_class_name", "checked_in_at", "status", "gone_at")[: 3 * LAST]
    guests = [guest for guest in newest if guest.status == "checked_in" and guest.gone_at is None][:LAST]
    ours = Admission.objects.filter(event=event, attendee__in=guests, undone_at=None, left_at=None)
    by_guest = {one.attendee_id: one for one in ours.only("attendee_id", "door", "by_name")}
    return [ArrivalRow(guest, by_guest.get(guest.pk)) for guest in guests]


def _odd(event: Event) -> Sequence[Attendee]:
    odd = Attendee.objects.filter(event=event, needs_attention=True).order_by("-registered_at", "-id")
    return list(odd.only("name", "email", "outbox", "gone_at")[:MOST_ODD])
