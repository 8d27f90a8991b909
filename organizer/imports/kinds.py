"""How the rows of an import become guests: a slice of the file for a slice of the batch."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from organizer.attendees import additions
from organizer.attendees.kinds import AddGuest
from organizer.attendees.models import Attendee
from organizer.attendees.queries import classes_to_give
from organizer.events.models import TicketClass
from organizer.imports import queries, wording
from organizer.imports.models import Import
from organizer.imports.rules import GOES, Checked, Verdict, again
from organizer.sync.models import Batch


class ImportGuest(AddGuest):
    name = "attendees.import"

    def rows_to_make(self, batch: Batch, keys: Sequence[str]) -> Sequence[tuple[Attendee, dict[str, Any] | str]]:
        """Looked at once more: between the dry run and now a guest may have come by another way."""
        mine = Import.objects.select_related("event").filter(pk=batch.params["import"])
        found = mine.defer("rows").get()
        numbers = {int(key) for key in keys}
        rows = [one for one in queries.checked(found) if one.number in numbers]
        statuses = queries.statuses(found.event, {one.email for one in rows})
        classes = {one.remote_id or "": one for one in classes_to_give(found.event)}
        return [_made(found, one, again(one, statuses, found.choices["status"]), classes) for one in rows]


def row_id(import_id: UUID, number: int) -> UUID:
    """The guest of this row of this file, always: the database refuses to make it twice."""
    return UUID(int=import_id.int ^ number)


def _made(
    found: Import, one: Checked, now: Checked, classes: dict[str, TicketClass]
) -> tuple[Attendee, dict[str, Any] | str]:
    ticket_class = classes.get(one.class_id)
    guest = additions.row(found.event, ticket_class.pk if ticket_class else None)
    guest.pk = row_id(found.pk, one.number)
    guest.email, guest.name = one.email, " ".join(f"{one.first_name} {one.last_name}".split())
    if now.verdict not in GOES or ticket_class is None:
        gone = now if now.verdict not in GOES else Checked(one.number, Verdict.NO_CLASS, one.class_id)
        return guest, wording.why(gone)
    choices = found.choices
    return guest, additions.params(
        ticket_class=ticket_class,
        email=one.email,
        first_name=one.first_name,
        last_name=one.last_name,
        status=choices["status"],
        payment_method=choices.get("payment_method", ""),
        send_email=bool(choices.get("send_email")),
    )
