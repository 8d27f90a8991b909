"""The form of a write that was refused: what the person chose then, filled in as it was sent."""

from collections.abc import Mapping
from typing import Any

from django import forms

from organizer.sync import registry
from organizer.sync.models import Command
from organizer.sync.outcomes import of_fields

LONGEST = 10_000
LONG = 80


class EditForm(forms.Form):
    """A field for each parameter that is a yes or no, a text or a number; the others stay as they were."""

    def __init__(self, command: Command, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(command.params if data is None else data)
        labels = registry.kind(command.kind).labels
        chosen = {name: command.params.get(name, "") for name in labels} | command.params
        for name, value in chosen.items():
            if field := _field(name, value):
                field.label = labels.get(name) or name.replace("_", " ").capitalize()
                self.fields[name] = field
        if data is None:
            for path, message in of_fields(command.answer):
                self.add_error(path[-1] if path[-1] in self.fields else None, message)


def may_edit(command: Command) -> bool:
    return bool(command.params.keys() & registry.kind(command.kind).labels.keys())


def _field(name: str, value: Any) -> forms.Field | None:
    match value:
        case bool():
            return forms.BooleanField(required=False)
        case int():
            return forms.IntegerField()
        case str() if "message" in name or len(value) > LONG:
            return forms.CharField(required=False, max_length=LONGEST, widget=forms.Textarea({"rows": 6}))
        case str():
            return forms.CharField(required=False, max_length=LONGEST)
    return None
