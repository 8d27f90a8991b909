from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.kit.text import clean


class CustomerForm(forms.Form):
    """For whom; what is ordered is the basket's."""

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
