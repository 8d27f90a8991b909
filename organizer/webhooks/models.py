"""Suppliers that may wake us, and what each of them sent."""

from uuid import uuid4

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization, User
from organizer.connections.models import Connection
from organizer.kit.fields import PlainField
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
            models.Index(
                fields=["vendor", "outcome", "finished_at", "missed"], name="reconciliation_changes"
            ),  # how many no delivery had told of
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
