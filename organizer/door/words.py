"""The headline of each verdict, word for word as it is spoken at a door."""

from django.utils.translation import gettext_lazy as _

from organizer.attendees.verdicts import Verdict

WORDS = {
    Verdict.ADMITTED: _("Let in"),
    Verdict.JUST_NOW: _("Just checked in here"),
    Verdict.ALREADY_IN: _("Already checked in"),
    Verdict.RECORDED: _("Already checked in"),
    Verdict.PENDING: _("Not approved yet"),
    Verdict.INVITED: _("Not approved yet"),
    Verdict.REJECTED: _("Registration was declined"),
    Verdict.CANCELLED: _("Ticket was cancelled"),
    Verdict.ODD: _("Status not known"),
    Verdict.OTHER_EVENT: _("Ticket for another event"),
    Verdict.UNKNOWN: _("Code not recognised"),
    Verdict.NO_TICKET: _("This is not a ticket code"),
    Verdict.UNDONE: _("Check-in removed"),
    Verdict.NOT_INSIDE: _("Nothing to remove"),
}
