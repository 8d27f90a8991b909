from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.alerts import words
from organizer.alerts.models import Condition
from organizer.alerts.rules import Limits
from organizer.kit.text import clean

LONGEST_NOTE = 1000
IGNORE_FOR = {
    "1h": (timedelta(hours=1), _("For an hour")),
    "1d": (timedelta(days=1), _("For a day")),
    "7d": (timedelta(days=7), _("For a week")),
    "30d": (timedelta(days=30), _("For 30 days")),
    "good": (None, _("For good")),
}


class NoteForm(forms.Form):
    note = forms.CharField(
        label=_("Note"), max_length=LONGEST_NOTE, required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": _("What is done about it, for the others")}),
    )  # fmt: skip

    def clean_note(self) -> str:
        return clean(self.cleaned_data["note"]).strip()


class IgnoreForm(NoteForm):
    until = forms.ChoiceField(
        label=_("Ignore"), choices=[(name, words) for name, (_time, words) in IGNORE_FOR.items()], initial="1d"
    )

    def ends_at(self, now: datetime) -> datetime | None:
        time = IGNORE_FOR[self.cleaned_data["until"]][0]
        return now + time if time else None


def _whole(label: Any, most: int = 100_000_000, least: int = 1) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most)


def _real(label: Any, most: float, least: float) -> forms.FloatField:
    return forms.FloatField(label=label, min_value=least, max_value=most)


class LimitsForm(forms.Form):
    """Its fields have the names of `rules.Limits`; `watch_…` says whether a condition is watched."""

    rejects_floor = _whole(_("Refused in an hour, at least"))
    rejects_factor = _real(_("and so many times the usual"), 1000, 1)
    no_match_share = _whole(_("More than this share of an hour's deliveries, in %"), most=99)
    no_match_floor = _whole(_("of at least so many"))
    failed = _whole(_("More than so many in an hour"))
    waiting_minutes = _real(_("The oldest for more than so many minutes"), 1440, 1)
    quiet_hours = _real(_("For at least so many hours"), 720, 0.5)
    quiet_factor = _real(_("and so many times its longest usual silence"), 100, 1)
    old_secret_hours = _real(_("So many hours before it ends"), 336, 0.5)
    late = _whole(_("At least so many orders"))
    growth_rows = _whole(_("More deliveries in 24 hours than"), most=1_000_000_000)
    growth_megabytes = _whole(_("or more MB of bodies than"), most=100_000_000)

    def __init__(self, data: Any = None, *, limits: Limits) -> None:
        super().__init__(data, initial=limits.kept())
        for condition in Condition:
            self.fields[f"watch_{condition}"] = forms.BooleanField(
                label=condition.label, required=False, initial=limits.watches(condition),
                help_text=words.ABOUT[condition],
            )  # fmt: skip

    @property
    def parts(self) -> Iterator[tuple[forms.BoundField, Sequence[forms.BoundField]]]:
        """For each condition whether it is watched, and from when on it opens."""
        for condition in Condition:
            names = [name for name in Limits.__dataclass_fields__ if name.startswith(condition) and name != "off"]
            yield self[f"watch_{condition}"], [self[name] for name in names]

    @property
    def limits(self) -> Limits:
        said = dict(self.cleaned_data)
        watched = {name.removeprefix("watch_"): said.pop(name) for name in list(said) if name.startswith("watch_")}
        return Limits(**said, off=tuple(sorted(name for name, on in watched.items() if not on)))


class HookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"), max_length=1000,
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false", "placeholder": "https://"}),
    )  # fmt: skip
