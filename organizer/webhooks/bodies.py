"""What is done about stored bodies: looked at, read again, erased."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.kit.slices import SIZE, delete, slices
from organizer.webhooks.actions import REUSED_ID
from organizer.webhooks.models import Action, Delivery, Look, Note, Outcome, Rejection, Tally, Vendor
from organizer.webhooks.receiver import reading

LOOK_NOTED_EVERY = timedelta(hours=1)
SAMPLES_KEPT, NUMBERS_KEPT = timedelta(days=30), timedelta(days=90)


def erase_body(*, delivery: Delivery, by: User) -> None:
    """Size, hash and outcome stay; a reconciliation needs the reference only."""
    with transaction.atomic():
        if Delivery.objects.filter(pk=delivery.pk, body__isnull=False).update(body=None, beginning=""):
            audit.record("delivery.erase_body", target=delivery, organization=delivery.organization, by=by)


def note_look(*, delivery: Delivery, by: User) -> bool:
    """A person sees a body. The trail says so once an hour for each of both; whether it does now."""
    now = timezone.now()
    mine = Look.objects.filter(delivery=delivery, user=by)
    if mine.filter(at__gt=now - LOOK_NOTED_EVERY).exists():
        return False
    with transaction.atomic():
        # two tabs at once: whoever writes the time writes the entry
        fresh = mine.filter(at__lte=now - LOOK_NOTED_EVERY).update(at=now)
        if not fresh:
            _look, fresh = Look.objects.get_or_create(delivery=delivery, user=by, defaults={"at": now})
        if fresh:
            audit.record("delivery.look_at_body", target=delivery, organization=delivery.organization, by=by)
    return bool(fresh)


def read_again(*, delivery: Delivery, by: User | None) -> bool:
    """What was only stored, by today's rules. If there is an order in it now it waits to be asked about."""
    if delivery.body is None or delivery.action != Action.STORED_ONLY:
        return False
    said = reading.read(bytes(delivery.body))
    if not said.reference:
        return False
    flags = [*said.flags, *(flag for flag in delivery.flags if flag == REUSED_ID)]
    with transaction.atomic():
        stored = Delivery.objects.filter(pk=delivery.pk, action=Action.STORED_ONLY)
        changed = stored.update(
            action=Action.RECONCILE, outcome=Outcome.WAITING, settled_at=None, reference=said.reference,
            reference_field=said.field, event=said.event, flags=flags, odd=bool(flags),
        )  # fmt: skip
        if changed:
            after = {"reference": said.reference, "field": said.field}
            audit.record("delivery.read_again", target=delivery, organization=delivery.organization, by=by, after=after)
    return bool(changed)


def keep_note(*, delivery: Delivery, text: str, by: User) -> None:
    """The last one counts; the trail has them all."""
    said = {"text": text, "by_name": str(by), "at": timezone.now()}
    with transaction.atomic():
        Note.objects.update_or_create(delivery=delivery, defaults=said)
        after = {"note": text}
        audit.record("delivery.note", target=delivery, organization=delivery.organization, by=by, after=after)


def take_back_note(*, delivery: Delivery, by: User) -> None:
    with transaction.atomic():
        if Note.objects.filter(delivery=delivery).delete()[0]:
            audit.record("delivery.take_back_note", target=delivery, organization=delivery.organization, by=by)


def forget_bodies(*, vendor: Vendor, now: datetime, at_once: int = SIZE) -> int:
    """Older than the supplier's days. What they said stays: event, reference, size, hash, outcome.

    Through its log from where it came to the last time, which spares each stored delivery an index.
    """
    before, done = now - timedelta(days=vendor.keep_bodies_for), 0
    old = Delivery.objects.filter(vendor=vendor, received_at__lt=before)
    if vendor.bodies_gone_until:
        old = old.filter(received_at__gte=vendor.bodies_gone_until)
    for some in slices(old.only("pk", "received_at"), order=("received_at", "id"), size=at_once):
        rows = Delivery.objects.filter(pk__in=[one.pk for one in some], body__isnull=False)
        done += rows.update(body=None, beginning="")
        Vendor.objects.filter(pk=vendor.pk).update(bodies_gone_until=some[-1].received_at)
    return done


def forget_refusals(*, now: datetime, at_once: int = SIZE) -> int:
    """Samples, numbers, and who looked at what: each after its time."""
    old: list[QuerySet[Any]] = [
        Rejection.objects.filter(at__lt=now - SAMPLES_KEPT),
        Tally.objects.filter(minute__lt=now - NUMBERS_KEPT),
        Look.objects.filter(at__lt=now - LOOK_NOTED_EVERY),
    ]
    return sum(delete(rows, at_once) for rows in old)
