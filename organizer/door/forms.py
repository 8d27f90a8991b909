"""What a desk sends: read leniently, since a scanner types it."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django import forms

from organizer.attendees.verdicts import stripped
from organizer.kit.text import clean

LONGEST = 2_000
"""More than any code holds; longer ones are no tickets."""


@dataclass(frozen=True)
class Shown:
    """A ticket's code, or a guest chosen from a list."""

    scan_id: UUID
    code: str
    attendee_id: UUID | None


def shown(sent: Mapping[str, str]) -> Shown | None:
    """None for what no desk sends. Three fields, read without a form's machinery: people wait."""
    chosen = sent.get("attendee_id", "")
    try:
        return Shown(
            scan_id=UUID(sent.get("scan_id", "")),
            code=stripped(clean(sent.get("code", "")[:LONGEST])),
            attendee_id=UUID(chosen) if chosen else None,
        )
    except ValueError:
        return None


class UndoForm(forms.Form):
    scan_id = forms.UUIDField()
    admission_id = forms.UUIDField()


class GuestForm(forms.Form):
    attendee_id = forms.UUIDField()
