from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from servers.supplier_api.actions import suppliers as actions
from servers.supplier_api.models import Supplier


class SettingsForm(forms.ModelForm):
    class Meta:
        model = Supplier
        fields = [
            "name", "is_open", "notify_url", "auth", "signature_header", "has_prefix",
            "moves", "step_seconds", "rejects_each",
        ]  # fmt: skip
        labels = {
            "name": _("Name"),
            "is_open": _("Takes requests"),
            "notify_url": _("Notify address"),
            "auth": _("The retail service knows it by"),
            "signature_header": _("Header of the signature"),
            "has_prefix": _("With sha256= before the signature"),
            "moves": _("Orders move by themselves"),
            "step_seconds": _("Seconds for each step"),
            "rejects_each": _("Rejects each so-manieth order"),
        }
        help_texts = {
            "is_open": _("Otherwise all its keys are answered with 403."),
            "notify_url": _("Where the retail service is told of each move. Empty: nobody is told."),
            "rejects_each": _("7 rejects the seventh, the fourteenth and so on; 0 rejects none."),
        }
        widgets = {"auth": forms.RadioSelect}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for name in ("step_seconds", "rejects_each"):
            self.fields[name].widget.attrs["inputmode"] = "numeric"

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, value in list(cleaned.items()):
            try:
                actions.check(**{name: value})
            except actions.CouldNotSetUp as problem:
                self.add_error(name, str(problem))
        return cleaned

    def _post_clean(self) -> None:
        """The row is changed by the action alone, which compares it with what is asked."""
