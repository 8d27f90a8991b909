"""Connections to other machines: one encrypted key per organization and service, and what we know of its health."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.kit.ids import new_id


class Service(models.TextChoices):
    EVENTS = "events", _("Event API")
    CLOUD = "cloud", _("Cloud API")
    SUPPLIER = "supplier", _("Supplier")  # one for each of the organization's suppliers


class Health(models.TextChoices):
    CHECKING = "checking", _("Checking…")
    WORKING = "working", _("Working")
    UNREACHABLE = "unreachable", _("Not answering")
    KEY_REFUSED = "key_refused", _("Key refused")


class Connection(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="connections")
    service = models.CharField(max_length=10, choices=Service.choices)
    url = models.URLField(max_length=500)
    ciphertext = models.BinaryField()
    key_prefix = models.CharField(max_length=20)  # what is shown of the key: prefix and last four
    key_last4 = models.CharField(max_length=4)
    key_fingerprint = models.CharField(max_length=64)  # of address and key: tells keys apart, names the allowance
    live = models.BooleanField(default=True)

    health = models.CharField(max_length=12, choices=Health.choices, default=Health.CHECKING)
    health_message = models.TextField(blank=True)
    health_since = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField(null=True)
    scopes = models.JSONField(default=dict)  # scope -> granted | denied | unknown
    quirks = models.JSONField(default=dict)  # what this provider refuses, found out by asking
    known_events = models.JSONField(default=list)  # ids that the list of events begins with, to know it again by
    known_by = models.CharField(max_length=64, default="")  # fingerprint of the key that saw them, or was found to
    sees_other_events = models.BooleanField(default=False)  # a new key that does not see what is mirrored here
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "service"],
                condition=models.Q(live=True) & ~models.Q(service=Service.SUPPLIER),
                name="connection_one_live",
            )
        ]

    sealed_for = "connections.key"

    def __str__(self) -> str:
        return f"{self.get_service_display()} {self.key_prefix}…{self.key_last4}"


class Allowance(models.Model):
    """The limiter's state of one key, shared by all processes; changed by compare-and-set on `version`."""

    name = models.CharField(max_length=64, primary_key=True)  # a connection's `key_fingerprint`
    version = models.BigIntegerField(default=0)
    state = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"allowance {self.name[:8]}"
