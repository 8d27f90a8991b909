"""The doors of an event, as the day-of view tells of them: who came by which, and whom they turned away."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import gettext as _

from organizer.attendees import figures
from organizer.attendees.models import Admission, Scan
from organizer.attendees.verdicts import USED, Verdict
from organizer.door.words import WORDS
from organizer.events.models import Event


@dataclass(frozen=True)
class DoorRow:
    name: str
    inside: int
    lately: int
    is_ours: bool = True
    """False for who was let in without Foyer."""


@dataclass(frozen=True)
class Refusal:
    why: str
    tickets: int


def doors(event: Event, since: datetime) -> Sequence[DoorRow]:
    """The one that let in most comes first."""
    kept = figures.by_door(event, since)
    named = sorted((name for name in kept if name), key=lambda name: (-kept[name].inside, name))
    rows = [DoorRow(name, kept[name].inside, kept[name].lately) for name in named]
    if "" in kept:
        rows.append(DoorRow(_("Elsewhere"), kept[""].inside, kept[""].lately, is_ours=False))
    return rows


def turned_away(event: Event) -> Sequence[Refusal]:
    """Tickets and not scans: who tries the same one again is told the same. Whoever came in after all is left out."""
    inside = Admission.objects.filter(event=event, attendee=OuterRef("attendee"), undone_at=None, left_at=None)
    refused = Scan.objects.filter(event=event, refused=True).filter(Q(verdict__in=USED) | ~Exists(inside))
    tickets: Counter[str] = Counter()
    for verdict, number in refused.values_list("verdict").annotate(n=Count("asked", distinct=True)).order_by():
        tickets[str(WORDS[Verdict(verdict)])] += number
    return [Refusal(why, number) for why, number in sorted(tickets.items(), key=lambda one: (-one[1], one[0]))]
