from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.kit.text import clean


class OrderForm(forms.Form):
    """What is ordered for whom; the listing is chosen in the list of what was found."""

    listing = forms.CharField(max_length=100, error_messages={"required": _("Choose what to order.")})
    quantity = forms.IntegerField(label=_("How many"), min_value=1, max_value=100, initial=1)
    name = forms.CharField(label=_("Name"), max_length=200, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    email = forms.EmailField(label=_("Email"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "off"}))

    def clean_name(self) -> str:
        return " ".join(clean(self.cleaned_data["name"]).split())


class ShopKeyForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("What it is for, as in “Shop on the website”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )  # fmt: skip

    def clean_name(self) -> Any:
        return " ".join(clean(self.cleaned_data["name"]).split())
