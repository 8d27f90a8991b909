"""What the forms of events and of ticket classes share: times by the event's clock, and what changed meanwhile."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from organizer.events import times

LONGEST_DESCRIPTION = 10_000
MOST = 1_000_000_000


class LocalDateTimeField(forms.DateTimeField):
    """By the clock of the event's zone, not of the person's."""

    widget = forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values:
            return None
        try:
            return datetime.fromisoformat(str(value)).replace(tzinfo=None)
        except ValueError:
            raise ValidationError(_("Write it as 2026-11-21T19:00."), "invalid") from None

    def prepare_value(self, value: Any) -> Any:
        return value


class KeepingForm(forms.Form):
    """Tells what the person changed from what the provider changed while the form was open.

    With `of`, each field carries what it was when the form was shown; `conflicts` are those that both changed.
    """

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, initial: dict[str, Any], of: Any | None = None
    ) -> None:
        super().__init__(data, initial=initial)
        for field in self.fields.values():
            field.show_hidden_initial = of is not None

    @property
    def conflicts(self) -> list[tuple[str, Any]]:
        """Labels, with what the provider says now."""
        return [(str(self.fields[name].label), self.initial.get(name)) for name in self._conflicting()]

    def _conflicting(self) -> Iterator[str]:
        for name in self.changed_data:
            field, bound = self.fields[name], self[name]
            if not field.show_hidden_initial:
                continue
            shown = bound.field.hidden_widget().value_from_datadict(self.data, self.files, bound.html_initial_name)
            now = _plain(field, self.initial.get(name))
            if now != _plain(field, shown) and now != _plain(field, self.cleaned_data.get(name)):
                yield name

    def now_shown(self) -> None:
        """The person has been told: what they send next is meant. What they left alone is as the provider says."""
        touched, data = set(self.changed_data), self.data.copy()  # type: ignore[attr-defined]
        for name in self.fields:
            bound = self[name]
            value = bound.field.prepare_value(self.initial.get(name))
            data[bound.html_initial_name] = "" if value is None else value
            if name not in touched:
                data[bound.html_name] = "" if value in (None, False) else value
        self.data = data


def local_value(moment: datetime | None, zone: str) -> str | None:
    return f"{times.local_time(moment, zone):%Y-%m-%dT%H:%M}" if moment else None


def number(amount: Decimal) -> int | float:
    return int(amount) if amount == amount.to_integral_value() else float(amount)


def _plain(field: forms.Field, value: Any) -> Any:
    """The same whether it comes from us or from a page."""
    value = field.to_python(value)
    if isinstance(value, str):
        return value.replace("\r\n", "\n")
    return None if value in field.empty_values else value
