"""The mirror's bookkeeping, the outbox, and who is alive."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.connections.models import Connection
from organizer.kit.ids import new_id


class Mirrored(models.Model):
    """A row of the mirror. `payload` is the API's last answer, whole; the other columns are what is in effect."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # each model's own indexes begin with these two
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    connection = models.ForeignKey(Connection, models.CASCADE, related_name="+", db_index=False)
    remote_id = models.TextField(null=True)  # null until the API has answered
    payload = models.JSONField(default=dict)
    doubts = models.JSONField(default=list)  # what was odd about the answer, in words
    written_at = models.DateTimeField(null=True)  # when the write behind the last answer was answered
    read_at = models.DateTimeField(null=True)  # when the page that this answer came from was requested
    generation = models.BigIntegerField(default=0)  # the sweep that saw it last
    gone_at = models.DateTimeField(null=True)
    # has doubts, is gone, or a write came to nothing: kept, so that it can be filtered by
    needs_attention = models.BooleanField(default=False)
    outbox = models.JSONField(default=dict)  # what the row's commands come to, for the screen: `sync.rules.note`

    class Meta:
        abstract = True


class Sweep(models.Model):
    """One list being walked, and what the last whole walk found. A dead sweep goes on from `page`."""

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="sweeps")
    noun = models.CharField(max_length=30)
    scope = models.TextField(default="")  # the remote id of the list's parent, "" for a list of its own
    every = models.DurationField(default=timedelta(minutes=5))  # how often it is read when nobody looks
    generation = models.BigIntegerField(default=0)
    page = models.IntegerField(default=0)  # the next to ask for; 0 while at rest
    pages = models.IntegerField(null=True)
    missing = models.BooleanField(default=False)  # all pages are read; now rows that they missed, one by one
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)  # when the last whole walk began: what it shows is as of then
    next_at = models.DateTimeField(null=True, default=timezone.now)  # null: not by itself
    asked_at = models.DateTimeField(null=True)  # a person pressed Refresh
    looked_at = models.DateTimeField(null=True)  # a person had it on screen, to the minute
    failures = models.IntegerField(default=0)
    problem = models.TextField(default="")
    counts = models.JSONField(default=dict)  # seen, changed, skipped of the walk under way or the last one
    doubts = models.JSONField(default=list)  # rows that could not be taken, and why

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "noun", "scope"], name="sweep_once")]
        indexes = [models.Index(fields=["connection", "next_at"], name="sweep_due")]

    def __str__(self) -> str:
        return f"{self.noun} {self.scope}".strip()


class Walker(models.Model):
    """Who reads for a connection now: one at a time, changed by compare-and-set, and over when `until` is past."""

    connection = models.OneToOneField(Connection, models.CASCADE, primary_key=True, related_name="walker")
    holder = models.CharField(max_length=200, default="")
    until = models.DateTimeField(null=True)
    next_at = models.DateTimeField(default=timezone.now)  # nothing is sent before: the limit or a back-off says so
    failures = models.IntegerField(default=0)  # in a row, of whatever list

    def __str__(self) -> str:
        return f"walker of {self.connection_id}"


class Outlet(models.Model):
    """Whether a connection takes writes now: after failures in a row all its commands wait until `next_at`."""

    connection = models.OneToOneField(Connection, models.CASCADE, primary_key=True, related_name="outlet")
    next_at = models.DateTimeField(default=timezone.now)
    failures = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"outlet of {self.connection_id}"


class Pulse(models.Model):
    """Written by each worker every 5 s: pages and `/readyz` read it to say whether work is being done."""

    process = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField()
    oldest_due = models.DateTimeField(null=True)  # since when a person's change waits that nothing holds

    def __str__(self) -> str:
        return self.process


class Lane(models.IntegerChoices):
    """Whose command goes first."""

    DOOR = 0, _("Door")
    PERSON = 1, _("Person")
    BULK = 2, _("Bulk")


class State(models.TextChoices):
    WAITING = "waiting", _("Waiting")
    SENDING = "sending", _("Sending")
    DONE = "done", _("Done")
    REFUSED = "refused", _("Refused")
    PARKED = "parked", _("Parked")
    CANCELLED = "cancelled", _("Taken back")


OPEN = (State.WAITING, State.SENDING)
FAILED = (State.REFUSED, State.PARKED)


class Batch(models.Model):
    """One act of a person on many rows: its commands are made slice by slice, and counted by state for its bar."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    connection = models.ForeignKey(Connection, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=40)
    params = models.JSONField(default=dict)
    targets = models.JSONField(default=list)  # ids of our rows, as the person saw them chosen
    expanded = models.IntegerField(default=0)  # how many of them have their command
    total = models.IntegerField(default=0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    by_name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)  # until then all of it can be undone
    cancelled_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["organization", "-created_at"], name="batch_newest")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.total}"


class Command(models.Model):
    """One write to the API, from before its first attempt to its outcome. `seq` is the order."""

    seq = models.BigAutoField(primary_key=True)
    key = models.UUIDField(default=new_id, unique=True, editable=False)  # the Idempotency-Key
    # whatever is asked often has an index below; each further one would be written at every check-in
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    connection = models.ForeignKey(Connection, models.CASCADE, related_name="commands", db_index=False)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, related_name="commands", db_index=False)
    kind = models.CharField(max_length=40)
    noun = models.CharField(max_length=30)
    target_id = models.UUIDField()
    target_name = models.CharField(max_length=200, default="")
    parent_noun = models.CharField(max_length=30, default="")  # a row that must have a `remote_id` first
    parent_id = models.UUIDField(null=True)
    scope = models.CharField(max_length=60)  # what the API demands of the key
    params = models.JSONField(default=dict)  # what the person chose
    fields = models.JSONField(default=dict)  # what it lays over the row's payload while it is open
    mails = models.BooleanField(default=False)  # the guest hears of it: it is never sent twice by guess
    lane = models.SmallIntegerField(choices=Lane.choices, default=Lane.PERSON)

    # written from the rows at the first sending, then frozen byte for byte
    method = models.CharField(max_length=6, default="")
    path = models.TextField(default="")
    body = models.TextField(default="")

    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.IntegerField(default=0)  # those whose outcome is not known
    due_at = models.DateTimeField(default=timezone.now)
    next_at = models.DateTimeField(default=timezone.now)
    holder = models.CharField(max_length=200, default="")
    until = models.DateTimeField(null=True)  # the lease
    first_at = models.DateTimeField(null=True)
    sent_with = models.CharField(max_length=64, default="")  # fingerprint of the key of the first attempt
    ended_at = models.DateTimeField(null=True)
    status = models.IntegerField(null=True)  # of the last answer
    reason = models.TextField(default="")
    answer = models.JSONField(null=True)  # what the API said, for an admin
    seen_at = models.DateTimeField(null=True)  # a person has seen what came of it
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False)
    by_name = models.CharField(max_length=200, default="")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["connection", "lane", "seq"], name="command_open", condition=models.Q(state__in=OPEN)),
            models.Index(fields=["noun", "target_id", "seq"], name="command_of_target"),
            models.Index(fields=["batch", "state"], name="command_of_batch"),
            models.Index(fields=["organization", "state", "-seq"], name="command_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target_name}".strip()
