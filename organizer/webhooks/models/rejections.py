"""What was refused: samples, and numbers of all."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.webhooks.models.vendors import Vendor


class Reason(models.TextChoices):
    """Why a request was refused."""

    PAYLOAD_TOO_LARGE = "payload_too_large", _("Larger than 64 KB")
    UNREADABLE = "unreadable", _("The body could not be read")
    SIGNATURE_MISSING = "signature_missing", _("No signature")
    SIGNATURE_INVALID = "signature_invalid", _("Wrong signature")
    SOURCE_NOT_ALLOWED = "source_not_allowed", _("Address not allowed")
    VENDOR_DISABLED = "vendor_disabled", _("Supplier switched off")
    UNKNOWN_VENDOR = "unknown_vendor", _("No such supplier")
    RATE_LIMITED = "rate_limited", _("Too many at once")
    TOO_MANY_FAILURES = "too_many_failures", _("Too many failures from one address")
    STORE_UNAVAILABLE = "store_unavailable", _("Could not be stored")


class Rejection(models.Model):
    """A sample of what was refused, without its body: strangers must not fill the disk."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="rejections", db_index=False)
    status = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=24, choices=Reason.choices)
    source = models.GenericIPAddressField(null=True)
    size = models.PositiveIntegerField(null=True)
    body_hash = models.CharField(max_length=12, blank=True)  # its beginning, to tell repeated ones
    header_names = models.JSONField(default=list)
    signature_header = models.CharField(max_length=100, blank=True)  # where the vendor's was looked for
    found_in = models.CharField(max_length=100, blank=True)  # another header that holds what looks like a signature
    would_match = models.BooleanField(default=False)  # what was found there is right: only the header is wrong
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "-at", "-id"], name="rejection_newest"),
            models.Index(fields=["vendor", "-at", "-id"], name="rejection_of_vendor"),
            models.Index(fields=["organization", "reason", "-at", "-id"], name="rejection_by_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.reason}"


class Tally(models.Model):
    """How many requests were refused in a minute, sample or not."""

    of = models.CharField(max_length=32)  # the vendor's id; empty: nobody has this key
    minute = models.DateTimeField()
    reason = models.CharField(max_length=24, choices=Reason.choices)
    number = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["of", "minute", "reason"], name="tally_once")]

    def __str__(self) -> str:
        return f"{self.minute:%H:%M} {self.reason} {self.number}"
