"""What the audit trail says, as people say it; what nobody has worded is said as it is kept."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

WHAT = {
    "attendee.add": gettext_lazy("Added a guest"),
    "attendee.approve": gettext_lazy("Approved"),
    "attendee.reject": gettext_lazy("Rejected"),
    "attendee.return": gettext_lazy("Returned to the queue"),
    "attendee.delete": gettext_lazy("Deleted a guest"),
    "attendee.check_in": gettext_lazy("Checked in"),
    "attendee.undo_check_in": gettext_lazy("Undid a check-in"),
    "attendee.undo": gettext_lazy("Took a decision back"),
    "attendee.resend": gettext_lazy("Sent the mail again"),
    "attendee.correct": gettext_lazy("Corrected, and added again"),
    "attendee.send_again": gettext_lazy("Sent again"),
    "attendee.seen": gettext_lazy("Saw what was refused"),
    "attendee.it_was_done": gettext_lazy("Said that it was done"),
    "attendees.approve": gettext_lazy("Approved many"),
    "attendees.reject": gettext_lazy("Rejected many"),
    "attendees.return": gettext_lazy("Returned many to the queue"),
    "attendees.delete": gettext_lazy("Deleted many"),
    "attendees.cancel": gettext_lazy("Cancelled what was left"),
    "attendees.retry": gettext_lazy("Sent the refused again"),
    "attendees.seen": gettext_lazy("Saw what was refused"),
    "guests.exported": gettext_lazy("Exported guests"),
    "import.take": gettext_lazy("Read a file"),
    "import.start": gettext_lazy("Imported a file"),
    "import.set_aside": gettext_lazy("Set a file aside"),
    "event.create": gettext_lazy("Created an event"),
    "event.edit": gettext_lazy("Changed an event"),
    "event.publish": gettext_lazy("Published"),
    "event.cancel": gettext_lazy("Cancelled an event"),
    "event.delete": gettext_lazy("Deleted an event"),
    "event.notify_at_check_in": gettext_lazy("Changed the mails at check-in"),
    "ticket_class.create": gettext_lazy("Created a ticket class"),
    "ticket_class.edit": gettext_lazy("Changed a ticket class"),
    "ticket_class.delete": gettext_lazy("Deleted a ticket class"),
    "message.keep": gettext_lazy("Kept a message"),
    "message.remove": gettext_lazy("Removed a message"),
    "view.saved": gettext_lazy("Saved a view"),
    "view.changed": gettext_lazy("Changed a view"),
    "view.deleted": gettext_lazy("Deleted a view"),
    "alert.open": gettext_lazy("An alert opened"),
    "alert.acknowledge": gettext_lazy("Acknowledged an alert"),
    "alert.ignore": gettext_lazy("Ignored an alert"),
    "alert.resolve": gettext_lazy("An alert was resolved"),
    "alerts.limits": gettext_lazy("Changed what is watched"),
    "alerts.mails": gettext_lazy("Changed who is told by mail"),
    "alerts.hook": gettext_lazy("Changed where alerts are posted to"),
    "alerts.hook_secret": gettext_lazy("Renewed the secret of alerts"),
    "alerts.hook_removed": gettext_lazy("Removed where alerts are posted to"),
    "alerts.test": gettext_lazy("Sent a test of alerts"),
    "alerts.send_again": gettext_lazy("Sent an alert again"),
    "command.sent_again": gettext_lazy("Sent again"),
    "command.said_done": gettext_lazy("Said that it was done"),
    "command.seen": gettext_lazy("Set a refused change aside"),
    "delivery.note": gettext_lazy("Acknowledged a delivery"),
    "delivery.take_back_note": gettext_lazy("Opened a delivery again"),
    "orders.bulk": gettext_lazy("Asked about many orders"),
    "orders.cancel_bulk": gettext_lazy("Cancelled asking about many orders"),
    "vendor.test": gettext_lazy("Sent a test delivery"),
}
STATUSES = {
    "pending_approval": gettext_lazy("pending"),
    "valid": gettext_lazy("going"),
    "checked_in": gettext_lazy("checked in"),
    "active": gettext_lazy("published"),
}
_INNER = ("command", "kind", "as")
"""Numbers of the outbox, which has a page of its own."""


def what(verb: str) -> str:
    return str(WHAT.get(verb) or verb.replace(".", " ").replace("_", " ").capitalize())


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Only what differs: `role: viewer → manager`."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name) and name not in _INNER]
    said = (_change(name, before.get(name), after.get(name)) for name in names)
    return [one for one in said if one]


def _change(name: str, old: object, new: object) -> str:
    if old is None and (known := _known(name, new)) is not None:
        return known
    label, said = name.replace("_", " "), _status if name == "status" else _plain
    return f"{label}: {said(new)}" if old is None else f"{label}: {said(old)} → {said(new)}"


def _known(name: str, value: object) -> str | None:
    """None where the name says nothing special."""
    match name, value:
        case (("notify_guest" | "send_email"), _flag):
            return _("told by mail") if value else _("no mail")
        case "custom_message", str():
            return f"“{value}”" if value else ""
        case "guests", int():
            return ngettext("%(n)s guest", "%(n)s guests", value) % {"n": value}
    return None


def _status(value: object) -> str:
    return str(STATUSES.get(str(value), value))


def _plain(value: object) -> str:
    match value:
        case None:
            return _("removed")
        case True:
            return _("yes")
        case False:
            return _("no")
        case "":
            return "–"
        case dict():
            return " ".join(str(one) for one in value.values())
    return str(value)
