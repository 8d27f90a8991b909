"""Mail is a row and a job, written with what it tells of; the worker sends it."""

import secrets
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, mailers

from servers.jobs import actions as jobs
from servers.kit import clock, writes
from servers.mail.models import OutgoingMail
from servers.organizations.models import Organization

KIND = "mail"


def queue(*, organization: Organization, to: str, subject: str, text: str) -> OutgoingMail:
    """Call it inside the transaction of the change that the mail tells of."""
    mail = OutgoingMail.objects.create(
        organization=organization,
        to=to,
        subject=" ".join(subject.split())[:400],  # a line break in a header would be another header
        text=text,
        message_id=f"<{secrets.token_hex(16)}@foyer>",
    )
    mail.job = jobs.put(KIND, {"mail": mail.pk})
    mail.save(update_fields=["job"])
    return mail


def deliver(payload: dict[str, Any]) -> None:
    """Sends a mail that was not sent yet.

    A worker that dies between the server's "accepted" and our mark sends once more, under the same Message-ID.
    """
    mail = OutgoingMail.objects.get(pk=payload["mail"])
    if mail.sent_at:
        return
    message = EmailMessage(
        mail.subject, mail.text, settings.MAIL_FROM, [mail.to], headers={"Message-ID": mail.message_id}
    )
    mailers["default"].send_messages([message])
    with writes.turn():
        OutgoingMail.objects.filter(pk=mail.pk).update(sent_at=clock.now())
