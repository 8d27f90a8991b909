from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.attendees.rules import LONG_AGO
from organizer.events.models import Event, TicketClass
from organizer.kit.fields import FoldedField
from organizer.kit.ids import new_id
from organizer.sync.models import Mirrored


class Attendee(Mirrored):
    event = models.ForeignKey(Event, models.CASCADE, related_name="attendees", db_index=False)
    ticket_class = models.ForeignKey(TicketClass, models.SET_NULL, null=True, related_name="attendees")
    ticket_class_name = models.TextField(default="")
    status = models.TextField()
    first_name = models.TextField(default="")
    last_name = models.TextField(default="")
    name = models.TextField(default="")
    sort_name = FoldedField()  # at most kit.text.SORT_LENGTH characters, so that it fits an index
    email = models.TextField(default="")
    company = models.TextField(default="")
    barcode = models.TextField(default="")
    registered_at = models.DateTimeField(default=LONG_AGO)
    checked_in_at = models.DateTimeField(null=True)
    door = models.TextField(default="")  # where an admission of ours let the guest in
    upgrade = models.TextField(default="")  # pending, cancelled, done or nothing
    search = FoldedField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "remote_id"], name="attendee_once")]
        indexes = [
            models.Index(fields=["event", "sort_name", "id"], name="attendee_by_name"),
            models.Index(fields=["event", "status", "sort_name", "id"], name="attendee_by_status_name"),
            models.Index(fields=["event", "-registered_at", "-id"], name="attendee_by_age"),
            models.Index(fields=["event", "status", "-registered_at", "-id"], name="attendee_by_status_age"),
            models.Index(fields=["event", "-checked_in_at", "-id"], name="attendee_by_arrival"),
            # the list over all events, which is in this order only
            models.Index(fields=["connection", "-registered_at", "-id"], name="attendee_all_by_age"),
            models.Index(fields=["connection", "status", "-registered_at", "-id"], name="attendee_all_by_status_age"),
            models.Index(
                fields=["event", "-registered_at", "-id"],
                name="attendee_needs_attention",
                condition=models.Q(needs_attention=True),
            ),
            models.Index(fields=["organization", "barcode"], name="attendee_by_code"),  # what a door scans
            # what search reads, on SQLite; on PostgreSQL a migration makes one of trigrams under this name
            models.Index(fields=["event", "search", "gone_at", "id"], name="attendee_search"),
        ]

    def __str__(self) -> str:
        return self.name or self.email


class StatusCount(models.Model):
    """How many guests of an event have which status, so that no page counts guests: the sum of these rows.

    Each change adds a row, so that no two wait for one counter; the end of a walk makes one row of them. Class, slot
    and door stand on that row, so that a check-in writes no more than before for all that the day-of view asks.
    """

    event = models.ForeignKey(Event, models.CASCADE, related_name="status_counts", db_index=False)
    ticket_class = models.ForeignKey(
        TicketClass, models.SET_NULL, null=True, related_name="+", db_constraint=False, db_index=False
    )
    status = models.TextField()
    slot = models.DateTimeField(null=True)  # of who is checked in: the five minutes of the arrival, `rules.slot`
    door = models.TextField(default="")  # of who is checked in: `Attendee.door`
    count = models.BigIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["event", "status"], name="status_count_of_event")]

    def __str__(self) -> str:
        return f"{self.status}: {self.count}"


class Admission(models.Model):
    """A guest was let in. The index is the referee: one at a time per guest, whoever else scans at that moment."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    event = models.ForeignKey(Event, models.CASCADE, related_name="admissions", db_index=False)
    attendee = models.ForeignKey(Attendee, models.CASCADE, related_name="admissions")
    at = models.DateTimeField(default=timezone.now)
    door = models.CharField(max_length=100, blank=True)  # where: the desk, or a door's name
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False)
    by_name = models.CharField(max_length=200)
    undone_at = models.DateTimeField(null=True)
    undone_by_name = models.CharField(max_length=200, blank=True)
    left_at = models.DateTimeField(null=True)  # stays empty until guests may come back in
    command_seq = models.BigIntegerField(null=True)  # what records it at the provider

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event", "attendee"],
                condition=models.Q(undone_at=None, left_at=None),
                name="admitted_once",
            )
        ]
        indexes = [models.Index(fields=["event", "-at"], name="admission_newest")]

    def __str__(self) -> str:
        return f"{self.attendee_id} at {self.at:%H:%M}"


UNLESS_INSIDE = "ON CONFLICT (event_id, attendee_id) WHERE left_at IS NULL AND undone_at IS NULL DO NOTHING"
"""For an insert of an admission. Worded as the index is: SQLite compares the two term by term."""


def _noted(to: Any, **options: Any) -> Any:
    """A key that is only a note: not looked up at each insert, and not followed when what it names goes."""
    return models.ForeignKey(to, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False, **options)


class Scan(models.Model):
    """Somebody showed a ticket, and what was said of it. Never changed: the same id asked again is told the same.

    A log, which goes with its event.
    """

    id = models.UUIDField(primary_key=True, editable=False)  # made in the page
    organization = _noted(Organization)
    event = models.ForeignKey(Event, models.CASCADE, related_name="scans", db_index=False)
    attendee = _noted(Attendee, null=True)
    admission = _noted(Admission, null=True)  # made, or undone, by it
    asked = models.CharField(max_length=64)  # what was shown, as a keyed digest: codes are not kept
    verdict = models.CharField(max_length=20)
    refused = models.BooleanField(default=False)  # the verdict is one of `verdicts.REFUSALS`
    said = models.JSONField(default=dict)  # what the verdict's words need: name, class, and who was faster
    door = models.CharField(max_length=100, blank=True)
    at = models.DateTimeField(default=timezone.now)
    by = _noted(settings.AUTH_USER_MODEL, null=True)
    by_name = models.CharField(max_length=200)

    class Meta:
        indexes = [
            models.Index(fields=["event", "by", "-at"], name="scan_newest"),
            models.Index(
                fields=["event", "refused", "verdict", "asked", "attendee"],
                name="scan_refused",
                condition=models.Q(refused=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} at {self.at:%H:%M}"


class MessageTemplate(models.Model):
    """A message to guests that is written once: `wording` says what stands in braces."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=80)
    sort_name = FoldedField()
    text = models.TextField()
    updated_at = models.DateTimeField(default=timezone.now)
    updated_by_name = models.CharField(max_length=200, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "sort_name"], name="message_named_once")]

    def __str__(self) -> str:
        return self.name
