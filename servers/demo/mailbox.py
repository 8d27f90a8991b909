"""A few mails, so that the mailbox shows what it is for: most left, one could not."""

from datetime import datetime, timedelta

from servers.event_api import guest_mail
from servers.event_api.models import Attendee
from servers.event_api.rules import Status
from servers.jobs.models import Job

APART = timedelta(hours=3)
PROBLEM = "SMTPRecipientsRefused: 550 5.1.1 There is no mailbox of this name"
DECIDED = {Status.VALID: 5, Status.REJECTED: 3}
THANKS = {Status.VALID: "We look forward to you. Doors open at six.\n— Mira & the kitchen", Status.REJECTED: ""}


def write(event_id: str, now: datetime) -> None:
    """To guests of the event that is approved by hand; nothing of it is left to send."""
    guests = Attendee.objects.filter(event=event_id).select_related("event__organization").order_by("created_at", "id")
    told = [guest for status, count in DECIDED.items() for guest in guests.filter(status=status)[:count]]
    for number, guest in enumerate(told):
        status = Status(guest.status)
        mail = guest_mail.queue(guest, status, THANKS[status])
        mail.created_at = now - APART * (len(told) - number)
        last = number == len(told) - 1
        mail.sent_at = None if last else mail.created_at + timedelta(seconds=2)
        mail.save()
        Job.objects.filter(pk=mail.job_id or 0).update(
            state=Job.State.FAILED if last else Job.State.DONE,
            last_error=PROBLEM if last else "",
            attempts=12 if last else 1,
            created_at=mail.created_at,
            finished_at=mail.created_at + timedelta(seconds=2),
        )
