"""The mirror's bookkeeping: what a mirrored row knows of its origin, how far each sweep is, who is alive."""

from datetime import timedelta

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
    needs_attention = models.BooleanField(default=False)  # has doubts or is gone: kept, so that it can be filtered by

    class Meta:
        abstract = True


class Sweep(models.Model):
    """One list being walked, and what the last whole walk found. A dead sweep goes on from `page`.

    Whoever writes rows of a list holds this row first, so that the list's counts have one writer at a time.
    """

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


class Pulse(models.Model):
    """Written by each worker every 5 s: pages and `/readyz` read it to say whether work is being done."""

    process = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.process
