"""The mirror's bookkeeping: what a mirrored row knows of its origin, how far each sweep is, who is alive."""

from django.db import models
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.connections.models import Connection
from organizer.kit.ids import new_id


class Mirrored(models.Model):
    """A row of the mirror. `payload` is the API's last answer, whole; the other columns are what is in effect."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    connection = models.ForeignKey(Connection, models.CASCADE, related_name="+")
    remote_id = models.TextField(null=True)  # null until the API has answered
    payload = models.JSONField(default=dict)
    doubts = models.JSONField(default=list)  # what was odd about the answer, in words
    written_at = models.DateTimeField(null=True)  # when the write behind the last answer was answered
    read_at = models.DateTimeField(null=True)  # when the page that this answer came from was requested
    generation = models.BigIntegerField(default=0)  # the sweep that saw it last
    gone_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class Sweep(models.Model):
    """One list being walked, and what the last whole walk found. A dead sweep goes on from `page`."""

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="sweeps")
    noun = models.CharField(max_length=30)
    scope = models.TextField(default="")  # the remote id of the list's parent, "" for a list of its own
    generation = models.BigIntegerField(default=0)
    page = models.IntegerField(default=0)  # the next to ask for; 0 while at rest
    pages = models.IntegerField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)  # when the last whole walk began: what it shows is as of then
    next_at = models.DateTimeField(default=timezone.now)
    asked_at = models.DateTimeField(null=True)  # a person pressed Refresh
    lease_until = models.DateTimeField(null=True)
    failures = models.IntegerField(default=0)
    problem = models.TextField(default="")
    counts = models.JSONField(default=dict)  # seen, changed, skipped of the walk under way or the last one
    doubts = models.JSONField(default=list)  # rows that could not be taken, and why

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "noun", "scope"], name="sweep_once")]
        indexes = [models.Index(fields=["next_at"], name="sweep_due")]

    def __str__(self) -> str:
        return f"{self.noun} {self.scope}".strip()


class Pulse(models.Model):
    """Written by each worker every 5 s: pages and `/readyz` read it to say whether work is being done."""

    process = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.process
