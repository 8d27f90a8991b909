"""What a person says with a decision, of a guest that is added, and once for many messages."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as __
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.attendees import additions, messages, queries
from organizer.attendees.models import MessageTemplate
from organizer.attendees.rules import STATUS_LENGTH
from organizer.attendees.wording import LONGEST_MESSAGE
from organizer.events.models import Event, TicketClass
from organizer.kit import money
from organizer.kit.text import fold
from organizer.sync.outcomes import of_fields

LONGEST_NAME, LONGEST_EMAIL = 120, 254
ADDED_AS = {"valid": _("Going"), "pending_approval": _("Pending, to be approved"), "invited": _("Invited")}
PAID = {"free": _("Free of charge"), "cash": _("In cash"), "external": _("Elsewhere")}


class MessageField(forms.CharField):
    """With placeholders. A line break is one character, as people count."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=LONGEST_MESSAGE, widget=forms.Textarea, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")

    def validate(self, value: str) -> None:
        super().validate(value)
        if problem := messages.problem(value):
            raise forms.ValidationError(problem)


class DecisionForm(forms.Form):
    """`seen` is the status that was on screen when the person decided."""

    notify_guest = forms.BooleanField(required=False, label=_("Tell the guest by mail"))
    template = forms.ModelChoiceField(MessageTemplate.objects.none(), required=False, label=_("Message"))
    custom_message = MessageField(required=False, label=_("Message"))
    seen = forms.CharField(required=False, max_length=STATUS_LENGTH)

    def __init__(self, *args: Any, organization: Organization, **options: Any) -> None:
        super().__init__(*args, **options)
        mine = MessageTemplate.objects.filter(organization=organization)
        self.fields["template"].queryset = mine  # type: ignore[attr-defined]

    @property
    def message(self) -> str:
        """As it was written; where nothing was, as the chosen template says."""
        template = self.cleaned_data.get("template")
        return self.cleaned_data["custom_message"] or (template.text if template else "")

    @property
    def params(self) -> dict[str, Any]:
        """As the outbox keeps it: a message goes only with a mail."""
        notify = self.cleaned_data["notify_guest"]
        return {"notify_guest": notify, "custom_message": self.message if notify else ""}


class TemplateForm(forms.ModelForm):
    text = MessageField(label=_("Message"))

    class Meta:
        model = MessageTemplate
        fields = ["name", "text"]
        labels = {"name": _("Name")}
        help_texts = {"name": _("For your colleagues: guests do not see it.")}

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        mine = MessageTemplate.objects.filter(organization=self.instance.organization, sort_name=fold(name))
        if mine.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(__("There is a message of this name already."))
        return name


class ClassField(forms.ModelChoiceField):
    """Each class with its price: who adds a guest by hand takes the money, or does not."""

    def label_from_instance(self, obj: TicketClass) -> str:
        return obj.name if obj.free or not obj.cost else f"{obj.name} · {money.say(obj.cost, obj.currency)}"


class AddForm(forms.Form):
    """One guest by hand. `again` is asked only where the address has a ticket."""

    email = forms.EmailField(label=_("E-mail"), max_length=LONGEST_EMAIL)
    first_name = forms.CharField(label=_("First name"), max_length=LONGEST_NAME, required=False)
    last_name = forms.CharField(label=_("Last name"), max_length=LONGEST_NAME, required=False)
    ticket_class = ClassField(TicketClass.objects.none(), label=_("Ticket class"), empty_label=None)
    status = forms.ChoiceField(label=_("Status"), choices=ADDED_AS)
    payment_method = forms.ChoiceField(label=_("Payment"), choices=PAID, required=False)
    send_email = forms.BooleanField(label=_("Send the guest the provider's mail"), required=False)
    again = forms.BooleanField(label=_("Add another ticket for this address"), required=False)

    def __init__(self, data: Any = None, *, event: Event, besides: Any = None, **options: Any) -> None:
        """`besides` is the guest that is being corrected, who is not in the way of themselves."""
        super().__init__(data, **options)
        self.event, self.besides = event, besides
        offered = queries.classes_to_give(event)
        self.fields["ticket_class"].queryset = offered  # type: ignore[attr-defined]
        if not any(one.cost and not one.free for one in offered):
            del self.fields["payment_method"]
        self.same: Sequence[Any] = ()
        self.fields["email"].widget.attrs |= {"autocomplete": "off"}

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if email := said.get("email"):
            self.same = queries.holding(self.event, email, besides=self.besides)
        if self.same and not said.get("again"):
            holder = self.same[0]
            words = {"name": holder.name or holder.email, "class": holder.ticket_class_name or __("no class")}
            self.add_error("email", __("%(name)s has a ticket with this address already (%(class)s).") % words)
        return said

    @property
    def asks_again(self) -> bool:
        return bool(self.same)

    @property
    def params(self) -> dict[str, Any]:
        said = self.cleaned_data
        names = ("ticket_class", "email", "first_name", "last_name", "status", "send_email")
        paid = said.get("payment_method") or ("free" if "payment_method" in self.fields else "")
        return additions.params(**{name: said[name] for name in names}, payment_method=paid)

    def say(self, answer: Any) -> None:
        """What the API said of the fields, at the fields."""
        for path, message in of_fields(answer):
            name = path[-1].removesuffix("_id")
            self.add_error(name if name in self.fields else None, message)
