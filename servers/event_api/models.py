"""What the event API keeps. Ids are 20 characters, as the contract shows them."""

from django.db import models
from django.db.models import Q

from servers.event_api.rules import Status
from servers.kit.ids import new_barcode
from servers.kit.limits import Window
from servers.kit.models import Noun
from servers.organizations.models import ApiKey, Organization


class Event(Noun):
    class Status(models.TextChoices):
        """What is stored. `completed` is an active event whose end has passed."""

        DRAFT = "draft"
        ACTIVE = "active"
        CANCELLED = "cancelled"
        DELETED = "deleted"

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="events")
    name = models.CharField(max_length=200)
    description = models.TextField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    registration_status = models.CharField(max_length=10, default="open")
    currency = models.CharField(max_length=3, default="usd")
    capacity = models.PositiveIntegerField(default=0)
    start_at = models.DateTimeField()
    end_at = models.DateTimeField(null=True, blank=True)
    timezone = models.CharField(max_length=60, default="UTC")
    venue = models.JSONField(null=True, blank=True)
    location_type = models.CharField(max_length=10, null=True, blank=True)
    video_link = models.TextField(null=True, blank=True)
    cover_image = models.TextField(null=True, blank=True)
    hidden = models.BooleanField(default=False)
    require_approval = models.BooleanField(default=False)
    tax_inclusive = models.BooleanField(default=False)
    allow_rsvp = models.BooleanField(default=False)
    remove_service_fees = models.BooleanField(default=False)
    required_contact_method = models.CharField(max_length=20, default="email")
    restricted_list_ids = models.JSONField(default=list, blank=True)
    categories = models.JSONField(default=list, blank=True)
    space_id = models.CharField(max_length=100, default="GENERAL")

    class Meta:
        indexes = [models.Index(fields=["organization", "created_at", "id"], name="events_in_order")]

    def __str__(self) -> str:
        return self.name


class TicketClass(Noun):
    class Status(models.TextChoices):
        ACTIVE = "active"
        DELETED = "deleted"

    event = models.ForeignKey(Event, models.CASCADE, related_name="ticket_classes", db_index=False)
    name = models.CharField(max_length=120)
    description = models.TextField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    kind = models.CharField(max_length=20, default="fixed")
    currency = models.CharField(max_length=3, default="USD")
    cost = models.DecimalField(max_digits=12, decimal_places=3, default=0)
    free = models.BooleanField(default=True)
    quantity_total = models.PositiveIntegerField(default=0)
    sales_start = models.DateTimeField(null=True, blank=True)
    sales_end = models.DateTimeField(null=True, blank=True)
    minimum_per_order = models.PositiveIntegerField(default=1)
    maximum_per_order = models.PositiveIntegerField(default=10)
    require_approval = models.BooleanField(default=False)
    hide_on_event_page = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["event", "created_at", "id"], name="classes_in_order")]
        constraints = [
            models.UniqueConstraint(fields=["event", "name"], condition=Q(status="active"), name="class_name_once")
        ]

    def __str__(self) -> str:
        return self.name


class Contact(Noun):
    """A person an organization knows, once per e-mail address."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="contacts", db_index=False)
    email = models.CharField(max_length=254)
    first_name = models.CharField(max_length=120, default="", blank=True)
    last_name = models.CharField(max_length=120, default="", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "email"], name="contact_email_once")]

    def __str__(self) -> str:
        return self.email


class Attendee(Noun):
    class Upgrade(models.TextChoices):
        PENDING = "pending"
        CANCELLED = "cancelled"
        DONE = "done"

    event = models.ForeignKey(Event, models.CASCADE, related_name="attendees", db_index=False)
    ticket_class = models.ForeignKey(TicketClass, models.PROTECT, related_name="attendees", db_index=False)
    contact = models.ForeignKey(Contact, models.PROTECT, null=True, blank=True, related_name="attendees")
    status = models.CharField(max_length=20, choices=[(s.value, s.value) for s in Status])
    barcode = models.CharField(max_length=40, default=new_barcode, unique=True)
    first_name = models.CharField(max_length=120, default="", blank=True)
    last_name = models.CharField(max_length=120, default="", blank=True)
    email = models.CharField(max_length=254)
    company = models.CharField(max_length=200, default="", blank=True)
    checked_in_at = models.DateTimeField(null=True, blank=True)
    payment_id = models.CharField(max_length=40, null=True, blank=True)
    refunded_at = models.DateTimeField(null=True, blank=True)
    upgrade_to = models.ForeignKey(TicketClass, models.PROTECT, null=True, blank=True, related_name="+")
    upgrade_from = models.ForeignKey(TicketClass, models.PROTECT, null=True, blank=True, related_name="+")
    upgrade_of = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="upgrades")
    """The ticket that the guest holds while the upgrade waits, and gives up when it is approved."""
    upgrade_status = models.CharField(max_length=10, choices=Upgrade.choices, null=True, blank=True)

    class Meta:
        indexes = [
            # the status is in it so that a deep page skips rows inside the index alone
            models.Index(fields=["event", "created_at", "id", "status"], name="attendees_in_order"),
            models.Index(fields=["event", "status"], name="attendees_by_status"),
            models.Index(fields=["ticket_class", "status"], name="attendees_sold"),
        ]

    def __str__(self) -> str:
        return f"{self.first_name} {self.last_name}".strip() or self.email


class RateWindow(Window):
    """Of the event API's keys and callers."""


class IdempotencyRecord(models.Model):
    """The first answer to a key on one method and path. Without a status the request is still being answered."""

    api_key = models.ForeignKey(ApiKey, models.CASCADE, related_name="+", db_index=False)
    method = models.CharField(max_length=10)
    path = models.CharField(max_length=500)
    key = models.CharField(max_length=255)
    body_sha256 = models.CharField(max_length=64)
    claim = models.CharField(max_length=32)
    lease_until = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(default=bytes)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["api_key", "method", "path", "key"], name="idempotency_key_once")
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.key}"
