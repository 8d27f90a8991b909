"""What a person says with a decision."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.attendees.kinds import LONGEST_MESSAGE
from organizer.attendees.rules import STATUS_LENGTH


class DecisionForm(forms.Form):
    """`seen` is the status that was on screen when the person decided."""

    notify_guest = forms.BooleanField(required=False, label=_("Tell the guest by mail"))
    custom_message = forms.CharField(
        required=False, max_length=LONGEST_MESSAGE, label=_("Message"), widget=forms.Textarea
    )
    seen = forms.CharField(required=False, max_length=STATUS_LENGTH)

    @property
    def params(self) -> dict[str, Any]:
        """As the outbox keeps it: a message goes only with a mail."""
        notify = self.cleaned_data["notify_guest"]
        return {"notify_guest": notify, "custom_message": self.cleaned_data["custom_message"] if notify else ""}
