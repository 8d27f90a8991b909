"""What is not as it should be with suppliers, how that stands, and whom it was told."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization, User
from organizer.alerts import rules
from organizer.kit.ids import new_id
from organizer.webhooks.models import Vendor


class State(models.TextChoices):
    OPEN = rules.OPEN, _("Open")
    ACKNOWLEDGED = rules.ACKNOWLEDGED, _("Acknowledged")
    RESOLVED = rules.RESOLVED, _("Resolved")
    IGNORED = rules.IGNORED, _("Ignored")


class Condition(models.TextChoices):
    REJECTS = rules.Condition.REJECTS.value, _("Many refused")
    NO_MATCH = rules.Condition.NO_MATCH.value, _("No order matches")
    FAILED = rules.Condition.FAILED.value, _("Deliveries fail")
    WAITING = rules.Condition.WAITING.value, _("Deliveries wait")
    QUIET = rules.Condition.QUIET.value, _("Gone quiet")
    OLD_SECRET = rules.Condition.OLD_SECRET.value, _("Old secret still in use")
    LATE = rules.Condition.LATE.value, _("Orders are late")
    GROWTH = rules.Condition.GROWTH.value, _("The log grows fast")


class Alert(models.Model):
    """One for a supplier and a condition, until it is closed: then the next time is another one."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="alerts", db_index=False)
    vendor = models.ForeignKey(Vendor, models.CASCADE, null=True, related_name="alerts")
    of = models.CharField(max_length=32, blank=True)  # the vendor's id: a null is like no other null to an index
    condition = models.CharField(max_length=10, choices=Condition.choices)
    state = models.CharField(max_length=12, choices=State.choices, default=State.OPEN)
    closed = models.BooleanField(default=False)
    holds = models.BooleanField(default=True)  # what it says was so when it was last looked at
    measured = models.JSONField(default=dict)
    began_at = models.DateTimeField()  # of what it is about
    opened_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    resolved_at = models.DateTimeField(null=True)
    ignored_until = models.DateTimeField(null=True)  # null: for good

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "of", "condition"], condition=models.Q(closed=False), name="alert_once"
            )
        ]
        indexes = [
            models.Index(fields=["organization", "-opened_at", "-id"], name="alert_newest"),
            models.Index(fields=["organization", "state", "-opened_at", "-id"], name="alert_by_state"),
            models.Index(fields=["resolved_at"], condition=models.Q(closed=True), name="alert_to_forget"),
        ]

    def __str__(self) -> str:
        return f"{self.vendor.name if self.vendor else self.organization.name}: {self.get_condition_display()}"


class Move(models.Model):
    """One entry of an alert's history, written with the change itself."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    alert = models.ForeignKey(Alert, models.CASCADE, related_name="moves")
    at = models.DateTimeField(default=timezone.now)
    before = models.CharField(max_length=12, choices=State.choices, blank=True)
    after = models.CharField(max_length=12, choices=State.choices)
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)
    by_name = models.CharField(max_length=200, blank=True)  # empty: by itself
    note = models.TextField(blank=True)
    until = models.DateTimeField(null=True)  # of an ignored one
    measured = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"


class Watch(models.Model):
    """What an organization has set: `limits` by the names of `rules.Limits`."""

    organization = models.OneToOneField(Organization, models.CASCADE, primary_key=True, related_name="watch")
    limits = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"watch of {self.organization_id}"


class MailChoice(models.Model):
    """Of who has chosen: others are told by their role."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    on = models.BooleanField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "user"], name="mail_choice_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.on}"


class Hook(models.Model):
    """Where alerts are posted to, and what they are signed with."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.OneToOneField(Organization, models.CASCADE, related_name="alert_hook")
    url = models.URLField(max_length=1000)
    ciphertext = models.BinaryField()
    last4 = models.CharField(max_length=4)
    active = models.BooleanField(default=True)
    problem = models.TextField(blank=True)  # why it was switched off, where no person did it
    created_at = models.DateTimeField(default=timezone.now)

    sealed_for = "alerts.hook"

    def __str__(self) -> str:
        return self.url.partition("?")[0]


class Channel(models.TextChoices):
    MAIL = "mail", _("Mail")
    HOOK = "hook", _("Webhook")


class SendingState(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    SENT = "sent", _("Sent")
    FAILED = "failed", _("Failed")
    DROPPED = "dropped", _("Dropped")  # nobody is there any more who wants it


class Sending(models.Model):
    """A notification to one receiver, worded when it was written: each try says the same under the same id."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    move = models.ForeignKey(Move, models.CASCADE, null=True, related_name="sendings")  # null: it is a test
    channel = models.CharField(max_length=4, choices=Channel.choices)
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="+")
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=300, blank=True)
    body = models.TextField()
    state = models.CharField(max_length=8, choices=SendingState.choices, default=SendingState.WAITING)
    tries = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)
    holder = models.CharField(max_length=200, default="", blank=True)
    until = models.DateTimeField(null=True)  # the lease
    problem = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(
                fields=["organization", "next_at"], condition=models.Q(state="waiting"), name="sending_waiting"
            ),
            models.Index(fields=["organization", "channel", "-id"], name="sending_newest"),
            models.Index(fields=["created_at"], name="sending_to_forget"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.channel}"


class Attempt(models.Model):
    """Written before it is made: one that a kill cut off stands in the log as such."""

    sending = models.ForeignKey(Sending, models.CASCADE, related_name="attempts")
    at = models.DateTimeField(default=timezone.now)
    status = models.PositiveSmallIntegerField(null=True)
    took = models.PositiveIntegerField(null=True)  # milliseconds; null: nobody knows how it ended
    problem = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.at} {self.status}"


class Volume(models.Model):
    """What was stored in an hour: counted once when the hour is over."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    hour = models.DateTimeField()
    rows = models.PositiveIntegerField()
    bytes = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "hour"], name="volume_once")]

    def __str__(self) -> str:
        return f"{self.hour:%d %H:00} {self.rows}"
