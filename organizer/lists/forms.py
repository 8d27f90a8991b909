from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.kit.text import clean, fold
from organizer.lists.models import LONGEST_NAME


class ViewForm(forms.Form):
    """Whoever may not share has no field for it."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    shared = forms.BooleanField(label=_("Share with everybody here"), required=False)

    def __init__(self, *args: Any, may_share: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_share:
            del self.fields["shared"]

    def clean_name(self) -> str:
        name = " ".join(clean(self.cleaned_data["name"]).split())
        if not fold(name):
            raise forms.ValidationError(_("A name needs a letter, a digit or a sign that can be read."))
        return name

    @property
    def says_shared(self) -> bool:
        return bool(self.cleaned_data.get("shared"))


class SaveForm(ViewForm):
    first = forms.BooleanField(label=_("Open this list with it"), required=False)
    listing = forms.CharField(max_length=40, widget=forms.HiddenInput)
    about = forms.CharField(max_length=60, required=False, widget=forms.HiddenInput)
    query = forms.CharField(max_length=16_000, required=False, widget=forms.HiddenInput)

    field_order = ["name", "shared", "first"]
