from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.connections.models import Service

# what there is a client for
OFFERED = [(Service.EVENTS.value, Service.EVENTS.label)]


class KeyForm(forms.Form):
    # a password field: never rendered with its value, neither after an error
    key = forms.CharField(
        label=_("API key"),
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("It is stored encrypted and never shown again."),
    )


class ConnectionForm(KeyForm):
    service = forms.ChoiceField(label=_("Service"), choices=OFFERED, initial=OFFERED[0][0])
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://events.example.com/api/v1", "autocomplete": "off"}),
        help_text=_("Where the event API lives, up to and including its version."),
    )
    field_order = ("service", "url", "key")
