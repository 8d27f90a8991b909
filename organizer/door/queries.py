"""Reads for the desk, of local rows only. Rows answer what the screen asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Case, Q, QuerySet, Sum, When
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from organizer.accounts.models import Organization, User
from organizer.attendees import search, verdicts
from organizer.attendees.models import Admission, Attendee, Scan, StatusCount
from organizer.attendees.verdicts import Verdict
from organizer.door.rules import Look, look
from organizer.door.words import WORDS
from organizer.events.models import Event
from organizer.events.phases import Phase, phase
from organizer.kit import quick

MOST_FOUND = 20
LAST = 10
MOST_ODD = 20
CHOICE = 12
_LENGTH = timedelta(hours=12)
ABOUT_ADMISSIONS = ("attendees.check_in", "attendees.undo_check_in")
TROUBLE = ("refused", "parked", "unrecorded")


@dataclass(frozen=True)
class ScanRow:
    scan: Scan

    @property
    def look(self) -> Look:
        return look(self.scan.verdict)

    @property
    def word(self) -> str:
        return str(WORDS[Verdict(self.scan.verdict)])

    @property
    def name(self) -> str:
        return self.scan.said.get("name", "")

    @property
    def clock(self) -> str:
        return f"{timezone.localtime(self.scan.at):%H:%M:%S}"

    @property
    def instant(self) -> str:
        return self.scan.at.isoformat()

    @property
    def admission_id(self) -> UUID | None:
        return self.scan.admission_id

    @property
    def first_at(self) -> datetime | None:
        return parse_datetime(self.scan.said.get("at", ""))

    @property
    def seconds(self) -> int:
        return max(0, int((self.scan.at - self.first_at).total_seconds())) if self.first_at else 0

    @property
    def is_recent(self) -> bool:
        """Long ago is said by its time alone."""
        return self.seconds < 3600

    @property
    def may_undo(self) -> bool:
        admission = self.scan.admission
        return self.scan.verdict == Verdict.ADMITTED and admission is not None and admission.undone_at is None

    @cached_property
    def next_id(self) -> UUID:
        """For the act that the row offers."""
        return uuid4()


@dataclass(frozen=True)
class FoundRow:
    guest: Attendee

    @property
    def email(self) -> str:
        return verdicts.masked(self.guest.email)

    @cached_property
    def scan_id(self) -> UUID:
        return uuid4()


@dataclass(frozen=True)
class OddRow:
    """An admission and the provider say different things of a guest."""

    guest: Attendee
    admission: Admission | None

    @property
    def is_inside(self) -> bool:
        return self.admission is not None

    @property
    def reason(self) -> str:
        return self.guest.outbox.get("reason", "")

    @property
    def is_refused(self) -> bool:
        return self.guest.outbox.get("state") == "refused"

    @cached_property
    def scan_id(self) -> UUID:
        return uuid4()


@dataclass(frozen=True)
class Choice:
    event: Event
    phase: Phase
    is_today: bool


def choices(organization: Organization, now: datetime | None = None) -> Sequence[Choice]:
    """Today's first, then what is next, then what was last."""
    now = now or timezone.now()
    shown = Event.objects.filter(organization=organization, connection__live=True, gone_at=None)
    shown = shown.exclude(status__in=("draft", "deleted", "cancelled")).defer("payload", "search")
    start = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    running = Q(ends_at__gt=now) | Q(ends_at=None, starts_at__gt=now - _LENGTH)
    today = Q(starts_at__lt=start + timedelta(days=1)) & (Q(starts_at__gte=start) | running)
    coming = Q(starts_at__gte=start + timedelta(days=1))
    before = Q(starts_at__lt=start) & ~running
    first = list(shown.filter(today).order_by("sort_start", "id"))
    later = list(shown.filter(coming).order_by("sort_start", "id")[:CHOICE])
    past = list(shown.filter(before).order_by("-sort_start", "-id")[:CHOICE])
    return [_choice(event, now, is_today=event in first) for event in (*first, *later, *past)]


def _choice(event: Event, now: datetime, *, is_today: bool) -> Choice:
    of = phase(status=event.status, starts_at=event.starts_at, ends_at=event.ends_at, now=now)
    return Choice(event, of, is_today)


def last_scans(event: Event, by: User) -> Sequence[ScanRow]:
    """What this person did at this event, newest first."""
    scans = Scan.objects.filter(event=event, by=by).select_related("admission").order_by("-at")
    return [ScanRow(scan) for scan in scans[:LAST]]


def stored(event: Event, scan_id: UUID) -> ScanRow | None:
    scan = Scan.objects.filter(event=event, pk=scan_id).select_related("admission").first()
    return ScanRow(scan) if scan else None


def found(event: Event, text: str) -> Sequence[FoundRow]:
    """By name or e-mail; who is in already comes last."""
    guests = Attendee.objects.filter(event=event, gone_at=None).filter(search.matching(text))
    guests = guests.exclude(status="deleted").defer("payload", "search")
    guests = guests.order_by(Case(When(status="checked_in", then=1), default=0), "sort_name", "id")
    return [FoundRow(guest) for guest in guests[:MOST_FOUND]]


def guest(event: Event, attendee_id: UUID) -> Attendee | None:
    return Attendee.objects.filter(event=event, pk=attendee_id).first()


def inside(event: Event) -> tuple[int, int]:
    """How many are in, of how many who have a ticket; kept counts."""
    counts = dict(quick.worded(_inside, event.pk))
    checked_in = max(0, counts.get("checked_in", 0))
    return checked_in, checked_in + max(0, counts.get("valid", 0))


def _inside(event_id: UUID) -> QuerySet[StatusCount, Any]:
    kept = StatusCount.objects.filter(event=event_id, status__in=("valid", "checked_in")).values_list("status")
    return kept.annotate(sum=Sum("count")).order_by()


def odd(event: Event) -> Sequence[OddRow]:
    guests = list(_odd(event).defer("payload", "search").order_by("sort_name", "id")[:MOST_ODD])
    open_ones = Admission.objects.filter(event=event, attendee__in=guests, undone_at=None, left_at=None)
    admissions = {admission.attendee_id: admission for admission in open_ones}
    return [OddRow(guest, admissions.get(guest.pk)) for guest in guests]


def number_odd(event: Event) -> int:
    return _odd(event).count()


def _odd(event: Event) -> QuerySet[Attendee]:
    trouble = Q(outbox__state="unrecorded") | Q(outbox__state__in=TROUBLE, outbox__kind__in=ABOUT_ADMISSIONS)
    return Attendee.objects.filter(trouble, event=event, needs_attention=True)
