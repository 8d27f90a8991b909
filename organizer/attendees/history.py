"""What was written about a guest, and the acts on many guests: reads of the outbox for the guests' pages."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.attendees.models import Admission, Attendee
from organizer.kit.paging import KeysetPage, keyset_page
from organizer.sync import batches
from organizer.sync.batches import Progress
from organizer.sync.models import FAILED, Batch, Command

LATEST = 30
MOST_SHOWN = 3
MOST_REASONS = 200


def of_guest(guest: Attendee) -> Sequence[Command]:
    """Who decided what, when, with which message, and what came of it; newest first."""
    about = Command.objects.filter(noun="attendees", target_id=guest.pk, organization=guest.organization_id)
    return list(about.order_by("-seq").defer("body", "fields")[:LATEST])


def command(guest: Attendee, seq: int) -> Command | None:
    """One of the guest's; without a number the one that should record the guest's check-in."""
    about = Command.objects.filter(noun="attendees", target_id=guest.pk, organization=guest.organization_id)
    if not seq:
        inside = Admission.objects.filter(attendee=guest, undone_at=None, left_at=None).first()
        seq = (inside.command_seq if inside else None) or 0
    return about.filter(pk=seq).first()


def batch(organization: Organization, batch_id: UUID) -> Progress | None:
    found = Batch.objects.filter(organization=organization, pk=batch_id).select_related("organization").first()
    return batches.progress(found) if found else None


def shown_since() -> datetime:
    return timezone.now() - batches.SHOWN_FOR


def shown(organization_id: UUID, since: datetime) -> QuerySet[Batch]:
    """What is not over, and what came to nothing in part as long as nobody has seen it."""
    failed = Exists(Command.objects.filter(batch=OuterRef("pk"), state__in=FAILED))
    mine = Batch.objects.filter(organization=organization_id, created_at__gte=since, seen_at=None)
    return mine.filter(Q(finished_at=None) | failed)


def work(organization: Organization) -> Sequence[Progress]:
    """Newest first; found again whoever started it, with or without a worker."""
    mine = shown(organization.pk, shown_since()).defer("targets").order_by("-created_at")[:MOST_SHOWN]
    found = [batches.progress(one) for one in mine]
    return [one for one in found if not one.is_over or one.failed or _is_fresh(one)]


def _is_fresh(progress: Progress) -> bool:
    return timezone.now() - progress.batch.created_at < timedelta(minutes=1)


def refusals(batch: Batch) -> Sequence[Command]:
    """Those of its guests of whom it came to nothing, each with the reason."""
    failed = Command.objects.filter(batch=batch, state__in=FAILED).order_by("target_name", "seq")
    failed = failed.annotate(has_page=Exists(Attendee.objects.filter(pk=OuterRef("target_id"))))
    return list(failed.defer("body", "answer", "params")[:MOST_REASONS])


def each(batch: Batch, cursor: str = "") -> KeysetPage[Command]:
    """Everybody else of it by name, as far as their commands are made, with what came of each."""
    others = Command.objects.filter(batch=batch).exclude(state__in=FAILED).defer("body", "answer", "params", "fields")
    others = others.annotate(has_page=Exists(Attendee.objects.filter(pk=OuterRef("target_id"))))
    return keyset_page(others, order=("target_name", "seq"), cursor=cursor, filters=str(batch.pk))


def event_of(batch: Batch) -> UUID | None:
    """The one event that all of its guests are of."""
    of = Attendee.objects.filter(pk__in=Command.objects.filter(batch=batch).values("target_id"))
    found = list(of.order_by().values_list("event_id", flat=True).distinct()[:2])
    return found[0] if len(found) == 1 else None
