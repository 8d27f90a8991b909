"""What people type on the servers' own pages, made clean."""

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from servers.console import sign_in
from servers.organizations import scopes
from servers.organizations.models import Organization

NONE, BOTH = "none", "read+write"
LABELS = {NONE: _("None"), "read": _("Read"), "write": _("Write"), BOTH: _("Both")}


class LimitedSignIn(AuthenticationForm):
    """Refuses, without looking at the password, where too many were refused before."""

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username", "")
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        if sign_in.is_blocked(name, address):
            raise forms.ValidationError(_("Too many attempts. Wait ten minutes, then try again."), code="blocked")
        try:
            cleaned = super().clean()
        except forms.ValidationError:
            sign_in.note_failure(name, address)
            raise
        sign_in.note_success(name, address)
        return cleaned


class OperatorSignInForm(LimitedSignIn, AdminAuthenticationForm):
    """The admin's own form, under the same limit."""


class SignInForm(LimitedSignIn):
    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": _("This name and password do not belong together."),
    }

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, label_suffix="", **kwargs)
        self.fields["username"].label = _("E-mail or name")


class PasswordForm(PasswordChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""


class KeyForm(forms.Form):
    """A name, and for each resource one of the accesses that exist for it."""

    name = forms.CharField(
        label=_("Name"), max_length=120, help_text=_("What will use it, for example “Dashboard” or “Website”.")
    )

    def __init__(self, *args: Any, organization: Organization, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        self.organization = organization
        for resource, actions in scopes.RESOURCES.items():
            self.fields[resource] = forms.ChoiceField(
                label=resource.replace("_", " ").capitalize(),
                choices=[(access, LABELS[access]) for access in _accesses(actions)],
                initial=NONE,
                widget=forms.RadioSelect,
            )

    def resources(self) -> list[forms.BoundField]:
        return [self[name] for name in scopes.RESOURCES]

    def clean_name(self) -> str:
        """One live key a name, so that a form sent twice by mistake does not make two keys."""
        name = self.cleaned_data["name"]
        if self.organization.api_keys.filter(name=name, revoked_at=None).exists():
            raise forms.ValidationError(_("A key of this name is in use. Choose another name."))
        return name

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not self.scopes():
            raise forms.ValidationError(_("Choose at least one thing that the key may do."))
        return cleaned

    def scopes(self) -> list[str]:
        chosen = {resource: self.cleaned_data[resource] for resource in scopes.RESOURCES}
        return [
            f"{resource}:{action}"
            for resource, access in chosen.items()
            for action in scopes.RESOURCES[resource]
            if action in access.split("+")
        ]


def _accesses(actions: tuple[str, ...]) -> list[str]:
    return [NONE, *actions, *([BOTH] if len(actions) > 1 else [])]
