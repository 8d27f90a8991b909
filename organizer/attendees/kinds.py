"""What can be written about a guest: each kind words its request, and says what the guest will be."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from organizer.attendees import messages, rules
from organizer.attendees.models import Attendee
from organizer.attendees.wording import LONGEST_MESSAGE
from organizer.sync.registry import Item, Kind, Request
from organizer.sync.rules import Json
from organizer.upstream.errors import Broken, NotFound, Refused, UpstreamError
from organizer.upstream.event_api import EventApi, attendees, envelope
from organizer.upstream.transport import Answer

__all__ = ["KINDS", "LONGEST_MESSAGE", "AddGuest", "GuestKind"]


class GuestKind(Kind):
    noun = "attendees"
    scope = attendees.WRITE
    labels = {"notify_guest": _("Send the guest a mail"), "custom_message": _("Message to the guest")}
    status: ClassVar[str]

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {"status": self.status}

    def own_params(self, rows: Sequence[Attendee], params: dict[str, Any]) -> Sequence[dict[str, Any] | str]:
        """The message is filled in for each guest, once: what is sent again says what it said."""
        return messages.worded(rows, params)

    def refusal(self, row: Attendee) -> str:
        return rules.refusal(self.name, row.status)

    def request(self, row: Attendee, params: Json) -> Request:
        # PATCH /events/{eventId}/attendees/{attendeeId}
        body: dict[str, Any] = {"status": self.status}
        if params.get("notify_guest"):
            body["notify_guest"] = True
        if params.get("notify_guest") and params.get("custom_message"):
            body["custom_message"] = params["custom_message"]
        return Request("PATCH", attendees.place(row.event.remote_id or "", row.remote_id or ""), body)

    def item(self, answer: Answer) -> Item | None:
        return envelope.one(answer, attendees.read)

    def read(self, api: EventApi, row: Attendee) -> Item:
        return api.attendees.get(row.event.remote_id or "", row.remote_id or "")

    def list_of(self, row: Attendee) -> str:
        return row.event.remote_id or ""


class Approve(GuestKind):
    name, words, status, is_decision = "attendees.approve", "approving", "valid", True


class Reject(GuestKind):
    name, words, status, is_decision = "attendees.reject", "rejecting", "rejected", True


class Return(GuestKind):
    name, words, status, is_decision = "attendees.return", "returning to the queue", "pending_approval", True


class Delete(GuestKind):
    name, words, status, is_decision = "attendees.delete", "deleting", "deleted", True

    def request(self, row: Attendee, params: Json) -> Request:
        # a PATCH with notify_guest, since DELETE takes no message
        if params.get("notify_guest"):
            return super().request(row, params)
        # DELETE /events/{eventId}/attendees/{attendeeId}
        return Request("DELETE", attendees.place(row.event.remote_id or "", row.remote_id or ""))

    def item(self, answer: Answer) -> Item | None:
        """DELETE answers `{deleted: true, id}`, PATCH with the guest."""
        value = answer.value.get("data", answer.value) if isinstance(answer.value, dict) else None
        if isinstance(value, dict) and "status" in value:
            return super().item(answer)
        envelope.deleted(answer)
        return None


class CheckIn(GuestKind):
    name, words, status = "attendees.check_in", "checking in", "checked_in"

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {"status": self.status, "checked_in_at": now.isoformat()}


class UndoCheckIn(GuestKind):
    name, words, status = "attendees.undo_check_in", "undoing the check-in", "valid"

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {"status": self.status, "checked_in_at": None}


class Resend(GuestKind):
    """The mail of the guest's status once more: an addition of our own event server, which others may lack."""

    name, words = "attendees.resend", "sending the mail again"
    labels = {"custom_message": _("Message to the guest")}

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        return {}

    def refusal(self, row: Attendee) -> str:
        return "" if row.remote_id and row.status != "deleted" else "has no ticket to be told of"

    def request(self, row: Attendee, params: Json) -> Request:
        # POST /events/{eventId}/attendees/{attendeeId}/resend
        where = attendees.place(row.event.remote_id or "", row.remote_id or "", "resend")
        message = params.get("custom_message")
        return Request("POST", where, {"custom_message": message} if message else {})

    def meant(self, error: UpstreamError) -> UpstreamError:
        """A 404 that is about neither the guest nor the event is about the address: repeating it is of no use."""
        lacks = isinstance(error, Broken) and error.status == 404
        if lacks or (isinstance(error, NotFound) and error.error not in _OF_ITS_NOUNS):
            return Refused("The provider cannot send its mail again: it does not offer that.", 404, "", [])
        return error

    def mails(self, params: Json) -> bool:
        return True

    def is_reached(self, payload: Json, fields: Json) -> bool:
        return False


_OF_ITS_NOUNS = ("Attendee not found", "Event not found")


class AddGuest(GuestKind):
    """A guest whom the API does not know. `params` are those of `additions.params`."""

    name, words, makes = "attendees.add", "adding", True
    labels = {
        "email": _("E-mail"),
        "first_name": _("First name"),
        "last_name": _("Last name"),
        "send_email": _("Send the guest a mail"),
    }

    def fields(self, params: Json, now: datetime) -> dict[str, Any]:
        shown = ("status", "email", "first_name", "last_name", "ticket_class_id", "ticket_class_name")
        return {name: params[name] for name in shown if name in params} | {"created_at": now.isoformat()}

    def title(self, params: Json) -> str:
        return " ".join(f"{params.get('first_name', '')} {params.get('last_name', '')}".split()) or params["email"]

    def refusal(self, row: Attendee) -> str:
        return ""

    def own_params(self, rows: Sequence[Attendee], params: dict[str, Any]) -> Sequence[dict[str, Any] | str]:
        return [params] * len(rows)

    def request(self, row: Attendee, params: Json) -> Request:
        # POST /events/{eventId}/attendees
        body = {
            "ticket_class_id": params["ticket_class_id"],
            "contact": {name: params[name] for name in ("email", "first_name", "last_name")},
            "quantity": 1,
            "status": params["status"],
            "send_email": bool(params.get("send_email")),
        }
        if params.get("payment_method"):
            body["payment_method"] = params["payment_method"]
        return Request("POST", attendees.place(row.event.remote_id or ""), body)

    def item(self, answer: Answer) -> Item | None:
        """The answer holds the tickets of the order; one was asked for."""
        items = envelope.many(answer, attendees.read, 1).items
        if not items:
            raise Broken("It answered without the guest that it made.", answer.status)
        return items[0]

    def mails(self, params: Json) -> bool:
        return bool(params.get("send_email"))


KINDS = (Approve(), Reject(), Return(), Delete(), CheckIn(), UndoCheckIn(), Resend(), AddGuest())
