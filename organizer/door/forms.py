"""What a desk sends: read leniently, since a scanner types it."""

import uuid

from django import forms

from organizer.attendees.verdicts import stripped
from organizer.kit.text import clean

LONGEST = 2_000
"""More than any code holds; longer ones are no tickets."""


class ScanForm(forms.Form):
    scan_id = forms.UUIDField()
    attendee_id = forms.UUIDField(required=False)
    code = forms.CharField(required=False, strip=False)

    def clean_code(self) -> str:
        return stripped(clean(self.cleaned_data["code"][:LONGEST]))


class UndoForm(forms.Form):
    scan_id = forms.UUIDField()
    admission_id = forms.UUIDField()


class GuestForm(forms.Form):
    attendee_id = forms.UUIDField()


def new_scan_id() -> uuid.UUID:
    return uuid.uuid4()
