"""The file, and what its columns are."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as __
from django.utils.translation import gettext_lazy as _

from organizer.events.models import TicketClass
from organizer.imports import headings, wording
from organizer.imports.reading import Table
from organizer.imports.reading.texts import ENCODINGS

STATUSES = {"valid": _("Going"), "pending_approval": _("Pending, to be approved"), "invited": _("Invited")}
PAID = {"free": _("Free of charge"), "cash": _("Paid in cash"), "external": _("Paid elsewhere")}
EXAMPLES = 3


class FileForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        widget=forms.FileInput({"accept": ".csv,.tsv,.txt,.xlsx,text/csv,text/plain"}),
        error_messages={"required": _("Choose a file first.")},
    )


class ColumnsForm(forms.Form):
    """A field `column-<n>` for each column, and what holds of all rows."""

    ticket_class = forms.ChoiceField(label=_("Ticket class, unless the row names one"), required=False)
    status = forms.ChoiceField(label=_("They are"), choices=STATUSES)
    payment_method = forms.ChoiceField(label=_("Payment"), choices=PAID, required=False)
    send_email = forms.BooleanField(label=_("Send each guest the provider's mail"), required=False)

    def __init__(self, table: Table, classes: Sequence[TicketClass], data: Any = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.table = table
        offered = [(one.remote_id, one.name) for one in classes]
        self.fields["ticket_class"].choices = [("", _("Each row must name one")), *offered]  # type: ignore[attr-defined]
        if not any(one.cost and not one.free for one in classes):
            del self.fields["payment_method"]
        for number, heading in enumerate(table.header):
            label = heading or __("Column %(n)s") % {"n": number + 1}
            self.fields[f"column-{number}"] = forms.ChoiceField(label=label, choices=wording.FIELDS, required=False)

    @property
    def columns(self) -> list[tuple[Any, list[str]]]:
        """Each column's field, with what stands in the first rows."""
        fields = [self[f"column-{number}"] for number in range(len(self.table.header))]
        first = self.table.rows[:EXAMPLES]
        return [(field, [row.cells[number] for row in first]) for number, field in enumerate(fields)]

    @property
    def of_all(self) -> list[Any]:
        return [self[name] for name in self.fields if not name.startswith("column-")]

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        chosen = [said.get(f"column-{number}", "") for number in range(len(self.table.header))]
        for field in filter(None, dict.fromkeys(chosen)):
            if chosen.count(field) > 1:
                self.add_error(None, __("“%(field)s” is chosen for two columns.") % {"field": wording.FIELDS[field]})
        if headings.EMAIL not in chosen:
            self.add_error(None, __("Say which column holds the e-mail address: without it nobody can be added."))
        if headings.CLASS not in chosen and not said.get("ticket_class"):
            self.add_error("ticket_class", __("Choose one, or a column that names it."))
        said["fields"] = chosen
        return said

    @property
    def choices(self) -> dict[str, Any]:
        said = self.cleaned_data
        named = {name: said.get(name, "") for name in ("ticket_class", "status", "payment_method")}
        return {"fields": said["fields"], "send_email": said["send_email"]} | named


class EncodingForm(forms.Form):
    encoding = forms.ChoiceField(label=_("Letters"), choices=ENCODINGS)
