from django.conf import settings
from django.db import models
from django.utils import timezone

from organizer.accounts.models import Organization
from organizer.events.models import Event
from organizer.kit.ids import new_id
from organizer.sync.models import Batch


class Import(models.Model):
    """A file of guests on its way: read, tried, and handed to the outbox. What it held is forgotten after days."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    event = models.ForeignKey(Event, models.CASCADE, related_name="imports")
    file_name = models.CharField(max_length=200)
    how = models.JSONField(default=dict)  # encoding and delimiter, or the sheet
    header = models.JSONField(default=list)
    rows = models.JSONField(default=list)  # [number, [cell, …]] of each
    choices = models.JSONField(default=dict)  # what each column is, and what holds of all rows
    checked = models.JSONField(default=list)  # of each row what would become of it: `rules.Checked` as a list
    counts = models.JSONField(default=dict)  # how many rows have which verdict
    created_at = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    forgotten_at = models.DateTimeField(null=True)  # then rows and verdicts are gone
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, related_name="+", db_index=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False)
    by_name = models.CharField(max_length=200)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "event", "-created_at"], name="import_newest"),
            models.Index(fields=["created_at"], name="import_to_forget", condition=models.Q(forgotten_at=None)),
        ]

    def __str__(self) -> str:
        return self.file_name


class Columns(models.Model):
    """What the columns under these headings were the last time."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)
    fields = models.JSONField(default=dict)
    used_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "digest"], name="columns_once")]

    def __str__(self) -> str:
        return ", ".join(self.fields)
