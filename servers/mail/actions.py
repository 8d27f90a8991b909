"""Mail is a row and a job, written with what it tells of; the worker sends it."""

import re
import secrets
import smtplib
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, mailers

from servers.jobs import actions as jobs
from servers.kit import clock, writes
from servers.mail.models import OutgoingMail
from servers.organizations.models import Organization

KIND = "mail"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def queue(*, organization: Organization, to: str, subject: str, text: str) -> OutgoingMail:
    """Call it inside the transaction of the change that the mail tells of."""
    mail = OutgoingMail.objects.create(
        organization=organization,
        to=to,
        subject=" ".join(_CONTROL.sub(" ", subject).split())[:400],  # a line break here would be another header
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
    try:
        mailers["default"].send_messages([message])
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError) as error:
        if _is_final(error):
            raise jobs.GiveUp(str(error)) from error
        raise
    except ValueError as error:  # an address or a header that no mail can have
        raise jobs.GiveUp(str(error)) from error
    with writes.turn():
        OutgoingMail.objects.filter(pk=mail.pk).update(sent_at=clock.now())


def _is_final(error: smtplib.SMTPRecipientsRefused | smtplib.SMTPDataError) -> bool:
    """5xx is the mail server's last word about this mail; 4xx asks for another try."""
    if isinstance(error, smtplib.SMTPDataError):
        return error.smtp_code >= 500
    return all(code >= 500 for code, _ in error.recipients.values())
