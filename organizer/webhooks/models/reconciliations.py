"""Each time a supplier was asked how an order stands."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.webhooks.models.vendors import Vendor


class Cause(models.TextChoices):
    """Why an order was looked at."""

    WEBHOOK = "webhook", _("Delivery")
    PERIODIC = "periodic", _("Periodic check")
    PERSON = "person", _("By hand")


class Found(models.TextChoices):
    """What a look at an order came to."""

    CHANGED = "changed", _("Changed")
    UNCHANGED = "unchanged", _("Unchanged")
    NO_MATCH = "no_match", _("No match")
    AMBIGUOUS = "ambiguous", _("Ambiguous")
    FAILED = "failed", _("Failed")


class Reconciliation(models.Model):
    """The supplier was asked how an order stands: what came of it. Periodic ones without news add up in one row."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="reconciliations", db_index=False)
    reference = models.CharField(max_length=255)
    order_id = models.UUIDField(null=True)  # of a room above this one; null: it is nobody's reference
    cause = models.CharField(max_length=8, choices=Cause.choices)
    by_name = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    times = models.PositiveIntegerField(default=1)
    status = models.PositiveSmallIntegerField(null=True)  # of the last answer; null: none came, or nobody was asked
    took = models.PositiveIntegerField(default=0)  # milliseconds
    outcome = models.CharField(max_length=9, choices=Found.choices)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    reason = models.TextField(blank=True)
    missed = models.BooleanField(default=False)  # a delivery should have told of it, and none had come
    deliveries = models.PositiveIntegerField(default=0)  # that it answered

    class Meta:
        indexes = [
            models.Index(fields=["organization", "-started_at", "-id"], name="reconciliation_newest"),
            models.Index(
                fields=["organization", "outcome", "-started_at", "-id", "cause"], name="reconciliation_by_outcome"
            ),
            models.Index(
                fields=["organization", "cause", "-started_at", "-id", "outcome"], name="reconciliation_by_cause"
            ),
            models.Index(
                fields=["organization", "-started_at", "-id", "cause", "missed"],
                condition=models.Q(missed=True),
                name="reconciliation_missed",
            ),
            # how many of the changes no delivery had told of
            models.Index(fields=["vendor", "outcome", "finished_at", "missed"], name="reconciliation_changes"),
            models.Index(
                fields=["vendor", "finished_at", "deliveries"],
                condition=models.Q(deliveries__gt=0),
                name="reconciliation_matched",
            ),
            models.Index(fields=["vendor", "reference", "-id"], name="reconciliation_of_order"),
            models.Index(fields=["finished_at"], name="reconciliation_to_forget"),
        ]

    def __str__(self) -> str:
        return f"{self.reference}: {self.outcome}"
