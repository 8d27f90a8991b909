"""A ticket class as people write it; `body` and `changes` are what the API is told."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.events import rules, times
from organizer.events.forms.keeping import (
    LONGEST_DESCRIPTION,
    MOST,
    KeepingForm,
    LocalDateTimeField,
    local_value,
    number,
)
from organizer.sync.rules import text, whole

NEW = {"minimum_per_order": 1, "maximum_per_order": 10}


class ClassForm(KeepingForm):
    name = forms.CharField(label=_("Name"), max_length=120)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=LONGEST_DESCRIPTION, widget=forms.Textarea({"rows": 3})
    )
    cost = forms.DecimalField(
        label=_("Price"), required=False, min_value=0, max_value=100_000_000, decimal_places=4,
        help_text=_("Empty: free"),
    )  # fmt: skip
    quantity_total = forms.IntegerField(
        label=_("Tickets in all"), required=False, min_value=0, max_value=MOST, help_text=_("Empty: no limit")
    )
    sales_start = LocalDateTimeField(label=_("Sales begin"), required=False, help_text=_("Empty: at once"))
    sales_end = LocalDateTimeField(label=_("Sales end"), required=False, help_text=_("Empty: when the event ends"))
    minimum_per_order = forms.IntegerField(label=_("Fewest in an order"), min_value=1, max_value=100)
    maximum_per_order = forms.IntegerField(label=_("Most in an order"), min_value=1, max_value=100)
    require_approval = forms.BooleanField(label=_("Each guest must be approved"), required=False)
    hide_on_event_page = forms.BooleanField(label=_("Not shown on the event's page"), required=False)

    def __init__(self, *args: Any, zone: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.zone = zone

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        for name in ("sales_start", "sales_end"):
            try:
                if said.get(name):
                    times.instant(said[name], self.zone)
            except times.DoesNotExist as skipped:
                self.add_error(name, _("The clocks skip this time on that day. Did you mean %s?") % skipped)
        if said.get("sales_start") and said.get("sales_end") and said["sales_end"] <= said["sales_start"]:
            self.add_error("sales_end", _("The end must be after the beginning."))
        if (said.get("minimum_per_order") or 0) > (said.get("maximum_per_order") or MOST):
            self.add_error("maximum_per_order", _("This is less than the fewest in an order."))
        return said

    def body(self) -> dict[str, Any]:
        """Everything that says something, as a class is created."""
        return {name: value for name, value in self._wire().items() if value not in (None, "")}

    def changes(self) -> dict[str, Any]:
        changed, said = set(self.changed_data), self._wire()
        body = {name: said[name] for name in said if name in changed}
        return body | ({"free": said["free"]} if "cost" in changed else {})

    def _wire(self) -> dict[str, Any]:
        said = dict(self.cleaned_data)
        for name in ("sales_start", "sales_end"):
            said[name] = times.wire(times.instant(said[name], self.zone)) if said[name] else None
        cost = said["cost"] or Decimal(0)
        return said | {"cost": number(cost), "free": cost == 0, "quantity_total": said["quantity_total"] or 0}


def initial(said: Mapping[str, Any], zone: str) -> dict[str, Any]:
    """Of a payload."""
    ticket = rules.effective_class(said)
    return {
        "name": ticket.name,
        "description": text(said.get("description")),
        "cost": None if ticket.free else ticket.cost.normalize(),
        "quantity_total": ticket.quantity_total or None,
        "sales_start": local_value(ticket.sales_start, zone),
        "sales_end": local_value(ticket.sales_end, zone),
        "minimum_per_order": whole(said.get("minimum_per_order")) or 1,
        "maximum_per_order": whole(said.get("maximum_per_order")) or 10,
        "require_approval": ticket.require_approval,
        "hide_on_event_page": ticket.hidden,
    }
