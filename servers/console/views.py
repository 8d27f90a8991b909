"""The pages that members of an organization use. Programs use /api/v1, where a session counts for nothing."""

from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from servers.console import api_keys, mails
from servers.console.access import MemberRequest, member
from servers.console.forms import KeyForm, PasswordForm, SignInForm
from servers.organizations import actions
from servers.organizations.models import Organization

sign_in = sensitive_post_parameters("password")(
    auth.LoginView.as_view(
        template_name="console/sign_in.html", authentication_form=SignInForm, redirect_authenticated_user=True
    )
)
password = never_cache(
    sensitive_post_parameters()(
        login_required(
            auth.PasswordChangeView.as_view(
                template_name="console/password.html", form_class=PasswordForm, success_url=reverse_lazy("console:home")
            )
        )
    )
)
sign_out = auth.LogoutView.as_view(next_page="console:sign_in")


@require_safe
@never_cache
@login_required
def home(request: MemberRequest) -> HttpResponse:
    """Straight to the one organization of most people; a choice for the others."""
    organizations = list(Organization.objects.filter(members__user=request.user).order_by("name"))
    if len(organizations) == 1 and not request.user.is_staff:
        return redirect("console:mailbox", organizations[0].slug)
    return render(request, "console/home.html", {"organizations": organizations})


@require_safe
@member
def organization(request: MemberRequest, organization: Organization) -> HttpResponse:
    return redirect("console:mailbox", organization.slug)


@require_safe
@member
def mailbox(request: MemberRequest, organization: Organization) -> HttpResponse:
    state, before = request.GET.get("state", ""), request.GET.get("before", "")
    context = {
        "organization": organization,
        "section": "mail",
        "state": state,
        "before": before,
        "filters": mails.filters(organization),
        "page": mails.page(organization, state=state, before=before),
    }
    return render(request, "console/mail/index.html", context)


@require_safe
@member
def mail(request: MemberRequest, organization: Organization, mail_id: int) -> HttpResponse:
    found = get_object_or_404(mails.of(organization), pk=mail_id)
    return render(request, "console/mail/detail.html", {"organization": organization, "section": "mail", "mail": found})


@require_safe
@member
def keys(request: MemberRequest, organization: Organization) -> HttpResponse:
    context = {"organization": organization, "section": "keys", "keys": api_keys.of(organization)}
    return render(request, "console/keys/index.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member
def new_key(request: MemberRequest, organization: Organization) -> HttpResponse:
    """Answers with the key itself, in this one response: it is in no session, message or address."""
    form = KeyForm(request.POST or None, organization=organization)
    context = {"organization": organization, "section": "keys", "form": form}
    if not form.is_valid():
        return render(request, "console/keys/new.html", context, status=422 if form.is_bound else 200)
    made = actions.create_key(
        organization=organization, scopes=form.scopes(), name=form.cleaned_data["name"], by=request.user
    )
    return render(request, "console/keys/made.html", context | {"key": made.key, "secret": made.secret})


@require_http_methods(["GET", "HEAD", "POST"])
@member
def revoke_key(request: MemberRequest, organization: Organization, key_id: int) -> HttpResponse:
    key = get_object_or_404(api_keys.of(organization), pk=key_id)
    if request.method == "POST":
        actions.revoke_key(key=key)
        return redirect("console:keys", organization.slug)
    return render(request, "console/keys/revoke.html", {"organization": organization, "section": "keys", "key": key})


@require_safe
@member
def members(request: MemberRequest, organization: Organization) -> HttpResponse:
    found = organization.members.select_related("user").order_by("user__username")
    context = {"organization": organization, "section": "members", "members": found}
    return render(request, "console/members/index.html", context)
