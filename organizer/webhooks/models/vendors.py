"""Suppliers that may wake us, and what they sign with."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.connections.models import Connection
from organizer.kit.ids import new_id
from organizer.webhooks import rules


class Auth(models.TextChoices):
    HMAC = "hmac", _("Signature")
    IP = "ip", _("Address")


class Vendor(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="vendors", db_index=False)
    key = models.CharField(max_length=60, unique=True)  # of all organizations: the address has no other name in it
    name = models.CharField(max_length=200)
    active = models.BooleanField(default=True)

    auth = models.CharField(max_length=4, choices=Auth.choices, default=Auth.HMAC)
    signature_header = models.CharField(max_length=100, default=rules.SIGNATURE_HEADER)
    allowed = models.JSONField(default=list)  # networks, as text
    id_headers = models.JSONField(default=rules.id_headers)
    rate = models.FloatField(default=20)  # deliveries a second, in the long run
    burst = models.PositiveIntegerField(default=100)
    same_body_for = models.PositiveIntegerField(null=True)  # seconds; null: for good
    keep_bodies_for = models.PositiveIntegerField(default=30)  # days
    bodies_gone_until = models.DateTimeField(null=True)  # of what was received before then none is left
    # where its orders are placed and read; null: it only delivers
    connection = models.OneToOneField(Connection, models.SET_NULL, null=True, related_name="vendor")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["organization", "name"], name="vendor_by_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def orders_url(self) -> str:
        return self.connection.url if self.connection and self.connection.live else ""


class Purpose(models.TextChoices):
    SIGNING = "signing", _("Signing secret")


class VendorSecret(models.Model):
    """One that signs. One that was replaced counts until `ends_at`."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="secrets")
    purpose = models.CharField(max_length=8, choices=Purpose.choices)
    number = models.PositiveSmallIntegerField(default=1)  # of this vendor's, for people to tell them apart
    ciphertext = models.BinaryField()
    last4 = models.CharField(max_length=4)
    created_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["vendor", "purpose"], condition=models.Q(ends_at=None), name="vendor_secret_one_current"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_purpose_display()} {self.number} …{self.last4}"

    @property
    def sealed_for(self) -> str:
        return f"webhooks.{self.purpose}"
