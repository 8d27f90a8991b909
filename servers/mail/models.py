from django.db import models

from servers.jobs.models import Job
from servers.kit import clock
from servers.organizations.models import Organization


class OutgoingMail(models.Model):
    """A mail to a guest. With `sent_at` it has left; without EMAIL_URL this table is the mailbox itself."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="mails")
    to = models.CharField(max_length=254)
    subject = models.CharField(max_length=400)
    text = models.TextField()
    message_id = models.CharField(max_length=120)
    created_at = models.DateTimeField(default=clock.now)
    sent_at = models.DateTimeField(null=True, blank=True)

    job = models.ForeignKey(Job, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["organization", "-id"], name="mail_newest_first")]

    def __str__(self) -> str:
        return f"{self.subject} to {self.to}"
