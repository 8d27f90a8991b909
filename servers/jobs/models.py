from django.db import models

from servers.kit import clock


class Job(models.Model):
    """Work that an answered request promised. Written in the request's own transaction, done by `work`."""

    class State(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"

    kind = models.CharField(max_length=40)
    payload = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    due_at = models.DateTimeField(default=clock.now)
    attempts = models.PositiveIntegerField(default=0)
    claim = models.CharField(max_length=32, default="", blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(default="", blank=True)
    created_at = models.DateTimeField(default=clock.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["state", "due_at", "id"], name="jobs_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} ({self.state})"


class Pulse(models.Model):
    """Each worker's sign of life."""

    process = models.CharField(max_length=120, primary_key=True)
    at = models.DateTimeField()
    oldest_due_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.process} at {self.at}"
