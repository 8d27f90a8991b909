from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from organizer.kit.text import clean
from organizer.webhooks import rules
from organizer.webhooks.models import Auth, Vendor

SHORTEST_SECRET = 16
HOUR = 3600
LONGEST_OVERLAP = 14 * 24


class Secret(forms.CharField):
    """Never rendered with its value, neither after an error."""

    def __init__(self, **more: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": "new-password", "spellcheck": "false"})
        super().__init__(required=False, max_length=500, widget=widget, **more)


class Lines(forms.CharField):
    """One a line; commas and spaces part them as well."""

    def __init__(self, **more: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "mono"})
        super().__init__(max_length=4_000, widget=widget, **more)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return list(dict.fromkeys((super().to_python(value) or "").replace(",", " ").split()))

    def validate(self, value: Any) -> None:
        super().validate(" ".join(value))

    def run_validators(self, value: Any) -> None:
        super().run_validators("\n".join(value))


class OwnSecret(forms.Form):
    secret = Secret(
        label=_("Secret of your own"),
        help_text=_("Leave it empty and a good one is made, and shown once. It is stored encrypted."),
    )

    def clean_secret(self) -> str:
        secret: str = self.cleaned_data["secret"]
        if secret and len(secret) < SHORTEST_SECRET:
            raise forms.ValidationError(_("A secret has at least %(n)s characters.") % {"n": SHORTEST_SECRET})
        return secret


class VendorForm(OwnSecret):
    key = forms.CharField(
        label=_("Key"), max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
        help_text=_("The last part of its address: small letters, digits and hyphens. It cannot be changed later."),
    )  # fmt: skip
    name = forms.CharField(label=_("Name"), max_length=200, required=False, help_text=_("What people call it."))
    auth = forms.ChoiceField(
        label=_("How it is known"), choices=Auth.choices, initial=Auth.HMAC.value, widget=forms.RadioSelect,
        help_text=_("A signature proves the message. An address proves the connection only: for who cannot sign."),
    )  # fmt: skip
    signature_header = forms.CharField(
        label=_("Header of the signature"), max_length=100, required=False, initial=rules.SIGNATURE_HEADER
    )
    allowed = Lines(
        label=_("Addresses it may deliver from"), required=False,
        help_text=_("Addresses or networks, one a line: 203.0.113.7 or 203.0.113.0/24. Used without signatures only."),
    )  # fmt: skip
    id_headers = Lines(
        label=_("Headers of the delivery id"), required=False, initial=rules.id_headers,
        help_text=_("The first that is there counts. Take X-Request-Id out if your proxy adds it."),
    )  # fmt: skip
    rate = forms.FloatField(label=_("Deliveries a second"), min_value=0.1, max_value=10_000, initial=20)
    burst = forms.IntegerField(label=_("At once"), min_value=1, max_value=100_000, initial=100)
    same_body_hours = forms.FloatField(
        label=_("Hours in which the same bytes are the same delivery"), required=False, min_value=0.01,
        max_value=87_600,
        help_text=_("Only where no id comes. Empty: for good, as the contract says; then a second real change that is told in the same bytes is taken for a repetition, and waits for the periodic check. With a window it counts, and so does a late redelivery: one question too many."),  # noqa: E501
    )  # fmt: skip
    keep_bodies_for = forms.IntegerField(
        label=_("Days to keep bodies"), min_value=1, max_value=3_650, initial=30,
        help_text=_("After that a body is erased. Event, reference, outcome, size and hash stay."),
    )  # fmt: skip
    orders_url = forms.URLField(
        label=_("Address of its orders"), max_length=500, required=False, assume_scheme="https",
        help_text=_("Where it is asked about an order, up to and including /api/vendor/v1."),
    )  # fmt: skip
    orders_key = Secret(label=_("Key for its orders"), help_text=_("Stored encrypted. Empty leaves it as it is."))
    field_order = (
        "key", "name", "auth", "secret", "signature_header", "allowed", "id_headers", "rate", "burst",
        "same_body_hours", "keep_bodies_for", "orders_url", "orders_key",
    )  # fmt: skip

    def __init__(self, *args: Any, vendor: Vendor | None = None, has_secret: bool = False, **kwargs: Any) -> None:
        if vendor:
            kwargs.setdefault("initial", _initial(vendor))
        super().__init__(*args, **kwargs)
        if vendor:
            del self.fields["key"]
        if has_secret:
            del self.fields["secret"]

    @property
    def parts(self) -> Sequence[tuple[Any, Sequence[forms.BoundField]]]:
        """Fields under their headings."""
        named = (
            (_("Who"), ("key", "name")),
            (_("Signature or address"), ("auth", "secret", "signature_header", "allowed")),
            (_("Repetitions and limits"), ("id_headers", "same_body_hours", "rate", "burst")),
            (_("Bodies"), ("keep_bodies_for",)),
            (_("Its orders"), ("orders_url", "orders_key")),
        )
        return [(head, [self[name] for name in names if name in self.fields]) for head, names in named]

    def clean_name(self) -> str:
        return " ".join(clean(self.cleaned_data["name"]).split())

    def clean_signature_header(self) -> str:
        return self.cleaned_data["signature_header"] or rules.SIGNATURE_HEADER

    @property
    def changes(self) -> dict[str, Any]:
        """The supplier's own fields, as the model calls them."""
        said = self.cleaned_data
        hours = said["same_body_hours"]
        names = ("auth", "signature_header", "allowed", "id_headers", "rate", "burst", "keep_bodies_for", "orders_url")
        return {name: said[name] for name in names} | {
            "name": said["name"] or said.get("key", ""),
            "same_body_for": max(1, round(hours * HOUR)) if hours else None,
        }


class NoteForm(forms.Form):
    text = forms.CharField(label=_("Note"), max_length=500, required=False, help_text=_("For whoever comes after you."))

    def clean_text(self) -> str:
        return " ".join(clean(self.cleaned_data["text"]).split())


class RotateForm(OwnSecret):
    hours = forms.IntegerField(
        label=_("Hours for which the old one still counts"), min_value=0, max_value=LONGEST_OVERLAP, initial=24,
        help_text=_("Both are accepted meanwhile, so that nothing is refused in between. 0 ends it now."),
    )  # fmt: skip


def _initial(vendor: Vendor) -> dict[str, Any]:
    names = (
        "name", "auth", "signature_header", "allowed", "id_headers", "rate", "burst", "keep_bodies_for", "orders_url"
    )  # fmt: skip
    hours = round(vendor.same_body_for / HOUR, 4) if vendor.same_body_for else None
    return {name: getattr(vendor, name) for name in names} | {"same_body_hours": hours}
