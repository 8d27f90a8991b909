"""Writes about people and organizations; each audited in its own transaction."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_slug
from django.db import transaction
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import Membership, Organization, Role, User


class CouldNotCreate(Exception):
    """The message says what to change."""


@transaction.atomic
def create_organization(*, slug: str, name: str, by: User | None) -> Organization:
    try:
        validate_slug(slug)
    except ValidationError:
        raise CouldNotCreate(_("A slug has letters, digits, hyphens and underscores only.")) from None
    if Organization.objects.filter(slug=slug).exists():
        raise CouldNotCreate(_("There is already an organization “%(slug)s”.") % {"slug": slug})
    organization = Organization.objects.create(slug=slug, name=name)
    audit.record(
        "organization.created",
        target=organization,
        organization=organization,
        by=by,
        after={"slug": slug, "name": name},
    )
    return organization


@transaction.atomic
def create_user(*, email: str, name: str, password: str, by: User | None) -> User:
    email = email.strip().lower()
    try:
        validate_email(email)
        validate_password(password, User(email=email, name=name))
    except ValidationError as problem:
        raise CouldNotCreate(" ".join(problem.messages)) from None
    user = User.objects.create_user(email, password, name=name)
    audit.record("user.created", target=user, organization=None, by=by, after={"email": email})
    return user


@transaction.atomic
def add_member(*, organization: Organization, user: User, role: Role, by: User | None) -> Membership:
    """Adding somebody again changes their role; saying the same role again changes nothing."""
    membership = Membership.objects.filter(organization=organization, user=user).first()
    if membership and membership.role == role:
        return membership
    before = {"role": membership.role} if membership else {}
    membership = membership or Membership(organization=organization, user=user)
    membership.role = role
    membership.save()
    verb = "member.role_changed" if before else "member.added"
    audit.record(
        verb,
        target=membership,
        organization=organization,
        by=by,
        before=before,
        after={"email": user.email, "role": role},
    )
    return membership
