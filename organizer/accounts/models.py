"""People, organizations, who may do what in which, and the trail of what was done."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.kit.ids import new_id


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email__iexact=email)


class User(AbstractBaseUser, PermissionsMixin):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    email = models.EmailField(_("e-mail"), unique=True, error_messages={"unique": _("This e-mail is taken.")})
    name = models.CharField(_("name"), max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(default=timezone.now)

    known_memberships: "list[Membership]"

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.name or self.email


class Session(AbstractBaseSession):
    user = models.ForeignKey(User, models.CASCADE, null=True, related_name="sessions")

    @classmethod
    def get_session_store_class(cls) -> Any:
        from organizer.accounts.sessions import SessionStore  # which stands on this model

        return SessionStore


class Organization(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    OWNER = "owner", _("Owner")
    ADMIN = "admin", _("Admin")
    MANAGER = "manager", _("Manager")
    DOOR = "door", _("Door")
    VIEWER = "viewer", _("Viewer")


class Membership(models.Model):
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()}"


class AuditEntry(models.Model):
    """Who changed what, from where; written in the change's own transaction, never updated."""

    organization = models.ForeignKey(
        Organization, models.CASCADE, null=True, related_name="audit_entries", db_index=False
    )
    at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)
    by_name = models.CharField(max_length=200)  # outlives the user; `system` where nobody did it
    source = models.CharField(max_length=10)  # web, worker, api, command
    verb = models.CharField(max_length=60)
    target_type = models.CharField(max_length=60)
    target_id = models.CharField(max_length=100)
    target_name = models.CharField(max_length=200)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["organization", "-id"], name="audit_newest")]

    def __str__(self) -> str:
        return f"{self.by_name} {self.verb} {self.target_name}"
