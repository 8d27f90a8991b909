"""An event and a ticket class as people write them; `body` is what the API is told of what they changed."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from organizer.events import rules, times
from organizer.sync.rules import part, text, whole

LONGEST_DESCRIPTION = 10_000
MOST = 1_000_000_000
VENUE = ("venue_name", "address", "city", "country")
PLACES = [("venue", _("At a venue")), ("online", _("Online"))]


class LocalDateTimeField(forms.DateTimeField):
    """By the clock of the event's zone, not of the person's."""

    widget = forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values:
            return None
        try:
            return datetime.fromisoformat(str(value)).replace(tzinfo=None)
        except ValueError:
            raise ValidationError(_("Write it as 2026-11-21T19:00."), "invalid") from None

    def prepare_value(self, value: Any) -> Any:
        return value


class KeepingForm(forms.Form):
    """Tells what the person changed from what the provider changed while the form was open.

    With `of`, each field carries what it was when the form was shown; `conflicts` are those that both changed.
    """

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, initial: dict[str, Any], of: Any | None = None
    ) -> None:
        super().__init__(data, initial=initial)
        for field in self.fields.values():
            field.show_hidden_initial = of is not None

    @property
    def conflicts(self) -> list[tuple[str, Any]]:
        """Labels, with what the provider says now."""
        return [(str(self.fields[name].label), self.initial.get(name)) for name in self._conflicting()]

    def _conflicting(self) -> Iterator[str]:
        for name in self.changed_data:
            field, bound = self.fields[name], self[name]
            if not field.show_hidden_initial:
                continue
            shown = bound.field.hidden_widget().value_from_datadict(self.data, self.files, bound.html_initial_name)
            now = _plain(field, self.initial.get(name))
            if now != _plain(field, shown) and now != _plain(field, self.cleaned_data.get(name)):
                yield name

    def now_shown(self) -> None:
        """The person has been told: what they send next is meant. What they left alone is as the provider says."""
        touched, data = set(self.changed_data), self.data.copy()  # type: ignore[attr-defined]
        for name in self.fields:
            bound = self[name]
            value = bound.field.prepare_value(self.initial.get(name))
            data[bound.html_initial_name] = "" if value is None else value
            if name not in touched:
                data[bound.html_name] = "" if value in (None, False) else value
        self.data = data


class EventForm(KeepingForm):
    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=LONGEST_DESCRIPTION, widget=forms.Textarea({"rows": 5})
    )
    starts_at = LocalDateTimeField(label=_("Starts"))
    ends_at = LocalDateTimeField(label=_("Ends"))
    timezone = forms.CharField(
        label=_("Time zone"),
        widget=forms.TextInput({"list": "zones", "autocomplete": "off", "spellcheck": "false"}),
        help_text=_("A city is enough: New York"),
    )
    place = forms.ChoiceField(label=_("Where"), choices=PLACES, widget=forms.RadioSelect)
    venue_name = forms.CharField(label=_("Venue"), required=False, max_length=500)
    address = forms.CharField(label=_("Address"), required=False, max_length=500)
    city = forms.CharField(label=_("City"), required=False, max_length=500)
    country = forms.CharField(label=_("Country"), required=False, max_length=500)
    link = forms.URLField(
        label=_("Link to the meeting"), required=False, max_length=500, assume_scheme="https",
        help_text=_("Begins with https://"),
    )  # fmt: skip
    capacity = forms.IntegerField(
        label=_("Capacity"), required=False, min_value=0, max_value=MOST, help_text=_("Empty: no limit")
    )
    currency = forms.RegexField(
        "^[A-Za-z]{3}$", label=_("Currency"), widget=forms.TextInput({"maxlength": "3", "autocomplete": "off"}),
        help_text=_("Three letters, such as EUR"),
    )  # fmt: skip
    require_approval = forms.BooleanField(label=_("Each guest must be approved"), required=False)
    hidden = forms.BooleanField(label=_("Not listed: found by its link only"), required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["ends_at"].widget.attrs["data-follows"] = self["starts_at"].id_for_label

    def clean_timezone(self) -> str:
        zone = times.zone_meant(self.cleaned_data["timezone"], available_timezones())
        if not zone:
            raise ValidationError(_("Choose a time zone from the list, or write its city: Berlin, New York."))
        return zone

    def clean_description(self) -> str:
        return str(self.cleaned_data["description"]).replace("\r\n", "\n")

    def clean_link(self) -> str:
        link: str = self.cleaned_data["link"]
        if link and not link.lower().startswith("https://"):
            raise ValidationError(_("The link must begin with https://"))
        return link

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).upper()

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if said.get("place") == "online" and not said.get("link") and "link" not in self.errors:
            self.add_error("link", _("Where do people meet?"))
        if said.get("place") == "venue" and not any(said.get(name) for name in VENUE):
            self.add_error("address", _("Where do people meet?"))
        if zone := said.get("timezone"):
            start, end = (self._instant(name, zone) for name in ("starts_at", "ends_at"))
            if start and end and end <= start:
                self.add_error("ends_at", _("The end must be after the start."))
        elif said.get("starts_at") and said.get("ends_at") and said["ends_at"] <= said["starts_at"]:
            self.add_error("ends_at", _("The end must be after the start."))
        return said

    def _instant(self, name: str, zone: str) -> datetime | None:
        local = self.cleaned_data.get(name)
        try:
            return times.instant(local, zone) if local else None
        except times.DoesNotExist as skipped:
            self.add_error(name, _("The clocks skip this time on that day. Did you mean %s?") % skipped)
        return None

    def body(self) -> dict[str, Any]:
        """Everything, as an event is created."""
        said = self.cleaned_data
        simple = {name: said[name] for name in ("name", "require_approval", "hidden")}
        simple["currency"] = said["currency"].lower()
        more = {"description": said["description"]} if said["description"] else {}
        more |= {"capacity": said["capacity"]} if said["capacity"] else {}
        return simple | more | self._times() | {"location": self._location()}

    def changes(self) -> dict[str, Any]:
        """What the person changed."""
        said, changed = self.cleaned_data, set(self.changed_data)
        simple = ("name", "description", "require_approval", "hidden")
        body: dict[str, Any] = {name: said[name] for name in simple if name in changed}
        if "currency" in changed:
            body["currency"] = said["currency"].lower()
        if "capacity" in changed:
            body["capacity"] = said["capacity"] or 0
        if changed & {"starts_at", "ends_at", "timezone"}:
            body |= self._times()
        if changed & {"place", "link", *VENUE}:
            body |= {"location": said["link"]} if said["place"] == "online" else {"venue": self.venue()}
        return body

    def venue(self) -> dict[str, str | None]:
        names = {"venue_name": "name", "address": "address", "city": "city", "country": "country"}
        return {wire: self.cleaned_data[name] or None for name, wire in names.items()}

    @property
    def has_venue(self) -> bool:
        """More than the address, which is all that can be said of a new event."""
        said = self.cleaned_data
        return said["place"] == "venue" and any(said[name] for name in VENUE if name != "address")

    def _location(self) -> str:
        said = self.cleaned_data
        return said["link"] if said["place"] == "online" else ", ".join(said[n] for n in VENUE if said[n])[:500]

    def _times(self) -> dict[str, Any]:
        said, zone = self.cleaned_data, self.cleaned_data["timezone"]
        return {
            wire: times.when(times.instant(said[name], zone), zone)
            for name, wire in (("starts_at", "start"), ("ends_at", "end"))
        }


class NewEventForm(EventForm):
    ticket_price = forms.DecimalField(
        label=_("Price of the first ticket class"), required=False, min_value=0, max_digits=10, decimal_places=3,
        help_text=_("Empty: free. More classes can be added afterwards."),
    )  # fmt: skip

    def body(self) -> dict[str, Any]:
        price = self.cleaned_data["ticket_price"]
        return super().body() | ({"ticket_price": _number(price)} if price else {})


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
        return said | {"cost": _number(cost), "free": cost == 0, "quantity_total": said["quantity_total"] or 0}


class CopyForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    starts_on = forms.DateField(label=_("First day"), widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))


def event_initial(said: Mapping[str, Any]) -> dict[str, Any]:
    """Of a payload."""
    event, venue = rules.effective(said), part(said.get("venue"))
    return {
        "name": event.name,
        "description": text(said.get("description")),
        "starts_at": _local(event.starts_at, event.timezone),
        "ends_at": _local(event.ends_at, event.timezone),
        "timezone": event.timezone,
        "place": "online" if event.location_type == "virtual" else "venue",
        "venue_name": text(venue.get("name")),
        "address": text(venue.get("address")),
        "city": text(venue.get("city")),
        "country": text(venue.get("country")),
        "link": text(said.get("video_link")),
        "capacity": event.capacity or None,
        "currency": event.currency,
        "require_approval": event.require_approval,
        "hidden": event.hidden,
    }


def class_initial(said: Mapping[str, Any], zone: str) -> dict[str, Any]:
    """Of a payload."""
    ticket = rules.effective_class(said)
    return {
        "name": ticket.name,
        "description": text(said.get("description")),
        "cost": None if ticket.free else ticket.cost.normalize(),
        "quantity_total": ticket.quantity_total or None,
        "sales_start": _local(ticket.sales_start, zone),
        "sales_end": _local(ticket.sales_end, zone),
        "minimum_per_order": whole(said.get("minimum_per_order")) or 1,
        "maximum_per_order": whole(said.get("maximum_per_order")) or 10,
        "require_approval": ticket.require_approval,
        "hide_on_event_page": ticket.hidden,
    }


NEW_CLASS = {"minimum_per_order": 1, "maximum_per_order": 10}


def _plain(field: forms.Field, value: Any) -> Any:
    """The same whether it comes from us or from a page."""
    value = field.to_python(value)
    if isinstance(value, str):
        return value.replace("\r\n", "\n")
    return None if value in field.empty_values else value


def _local(moment: datetime | None, zone: str) -> str | None:
    return f"{times.local_time(moment, zone):%Y-%m-%dT%H:%M}" if moment else None


def _number(amount: Decimal) -> int | float:
    return int(amount) if amount == amount.to_integral_value() else float(amount)
