"""What a supplier sent and a 200 was said to, who looked at it, and our own that were sent to try the door."""

from uuid import uuid4

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization, User
from organizer.kit.fields import PlainField
from organizer.webhooks.models.reconciliations import Reconciliation
from organizer.webhooks.models.vendors import Vendor


class Action(models.TextChoices):
    RECONCILE = "reconcile", _("Reconcile")
    STORED_ONLY = "stored_only", _("Stored only")


class Outcome(models.TextChoices):
    """What a delivery came to."""

    WAITING = "waiting", _("Waiting")
    CHANGED = "changed", _("Changed")
    UNCHANGED = "unchanged", _("Unchanged")
    NO_MATCH = "no_match", _("No match")
    FAILED = "failed", _("Failed")
    STORED_ONLY = "stored_only", _("Stored only")
    TEST = "test", _("Test")  # one of our own: nobody is asked, and nothing counts it


class Proof(models.TextChoices):
    """By what a delivery was known for its supplier's."""

    HMAC = "hmac", _("HMAC")
    OLD_SECRET = "old", _("Old secret")
    IP = "ip", _("IP")


class Delivery(models.Model):
    """What a 200 was said to: it is here, whatever becomes of it."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="deliveries", db_index=False)
    dedupe_key = models.BinaryField(max_length=32)  # SHA-256 of the id, or of the body where none came
    delivery_id = models.CharField(max_length=255, blank=True)
    id_header = models.CharField(max_length=100, blank=True)
    body = models.BinaryField(null=True)  # null once it was erased
    body_hash = models.BinaryField(max_length=32)
    body_size = models.PositiveIntegerField()
    beginning = models.CharField(max_length=80, blank=True)  # of the body, for a line in a list
    content_type = models.CharField(max_length=255, blank=True)
    headers = models.JSONField(default=list)  # [name, value], secrets redacted
    source = models.GenericIPAddressField(null=True)
    proxies = models.PositiveSmallIntegerField(default=0)
    auth = models.CharField(max_length=4, choices=Proof.choices)
    secret_number = models.PositiveSmallIntegerField(null=True)
    event = PlainField(max_length=100, blank=True)
    reference = PlainField(max_length=255, blank=True)
    reference_field = models.CharField(max_length=20, blank=True)
    flags = models.JSONField(default=list)
    odd = models.BooleanField(default=False)  # has flags
    action = models.CharField(max_length=11, choices=Action.choices)
    outcome = models.CharField(max_length=11, choices=Outcome.choices)
    settled_at = models.DateTimeField(null=True)
    reconciliation = models.ForeignKey(  # that settled it; it may be forgotten by now
        Reconciliation, models.DO_NOTHING, null=True, related_name="+", db_index=False, db_constraint=False
    )
    duplicates = models.PositiveIntegerField(default=0)
    last_duplicate_at = models.DateTimeField(null=True)
    received_at = models.DateTimeField(default=timezone.now)
    took = models.PositiveIntegerField(default=0)  # microseconds from the first look to the store

    class Meta:
        constraints = [models.UniqueConstraint(fields=["vendor", "dedupe_key"], name="delivery_once")]
        indexes = [
            # each filter of the list has its own, in the list's order; the outcome is there for the histogram to be
            # counted from the index alone
            models.Index(fields=["organization", "-received_at", "-id", "outcome"], name="delivery_newest"),
            models.Index(fields=["organization", "outcome", "-received_at", "-id"], name="delivery_by_outcome"),
            models.Index(fields=["organization", "event", "-received_at", "-id", "outcome"], name="delivery_by_event"),
            models.Index(fields=["organization", "auth", "-received_at", "-id", "outcome"], name="delivery_by_auth"),
            models.Index(
                fields=["organization", "source", "-received_at", "-id", "outcome"], name="delivery_by_source"
            ),
            models.Index(fields=["vendor", "-received_at", "-id", "outcome"], name="delivery_by_vendor"),
            models.Index(fields=["vendor", "outcome", "-received_at", "-id"], name="delivery_by_both"),
            # with what SQLite would look up in the row, though the index has no others
            models.Index(
                fields=["organization", "-received_at", "-id", "outcome", "duplicates"],
                condition=models.Q(duplicates__gt=0),
                name="delivery_repeated",
            ),
            models.Index(
                fields=["organization", "-received_at", "-id", "outcome", "odd"],
                condition=models.Q(odd=True),
                name="delivery_odd",
            ),
            models.Index(fields=["vendor", "reference", "-received_at"], name="delivery_order"),
            models.Index(fields=["received_at"], condition=models.Q(outcome="waiting"), name="delivery_waiting"),
        ]

    def __str__(self) -> str:
        return self.event or self.reference or f"delivery {self.pk}"


class Note(models.Model):
    """Somebody has seen what came of a delivery, and says what it is about."""

    delivery = models.OneToOneField(Delivery, models.CASCADE, primary_key=True, related_name="note")
    text = models.CharField(max_length=500, blank=True)
    by_name = models.CharField(max_length=200)
    at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.text


class Look(models.Model):
    """Who has seen a body, and when last: what the audit trail is told once an hour."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "delivery"], name="look_once")]
        indexes = [models.Index(fields=["at"], name="look_at")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.delivery_id}"


class Trial(models.Model):
    """A delivery of our own, sent through the front door for a person to see it arrive. Its key is the proof of it."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="trials", db_index=False)
    by_name = models.CharField(max_length=200)
    asked_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)  # null: no answer came
    answer = models.TextField(blank=True)
    took = models.PositiveIntegerField(default=0)  # milliseconds
    problem = models.TextField(blank=True)
    delivery = models.ForeignKey(
        Delivery, models.DO_NOTHING, null=True, related_name="+", db_index=False, db_constraint=False
    )

    class Meta:
        indexes = [
            models.Index(fields=["vendor", "-asked_at"], name="trial_of_vendor"),
            models.Index(fields=["asked_at"], name="trial_to_forget"),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        return f"TEST-{self.pk.hex[:8].upper()}"
