"""An event as people write it; `body` and `changes` are what the API is told."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
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
from organizer.kit import days
from organizer.sync.rules import part, text

VENUE = ("venue_name", "address", "city", "country")
PLACES = [("venue", _("At a venue")), ("online", _("Online"))]


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
        zone = times.zone_meant(self.cleaned_data["timezone"], days.zones())
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
        return super().body() | ({"ticket_price": number(price)} if price else {})


class CopyForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    starts_on = forms.DateField(label=_("First day"), widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"))


def initial(said: Mapping[str, Any]) -> dict[str, Any]:
    """Of a payload."""
    event, venue = rules.effective(said), part(said.get("venue"))
    return {
        "name": event.name,
        "description": text(said.get("description")),
        "starts_at": local_value(event.starts_at, event.timezone),
        "ends_at": local_value(event.ends_at, event.timezone),
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
