"""Who uses the servers: organizations, the people who sign in for them, and their API keys."""

from django.contrib.auth.models import AbstractUser
from django.db import models

from servers.kit import clock


class User(AbstractUser):
    """A person who signs in on the servers' own pages; `is_staff` makes an operator of the installation."""


class Organization(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.name


class Member(models.Model):
    class Role(models.TextChoices):
        ADMIN = "admin", "Admin"
        MEMBER = "member", "Member"

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization", "user"], name="one_membership_each")]

    def __str__(self) -> str:
        return f"{self.user} in {self.organization}"


class ApiKey(models.Model):
    """Only the hash of a key is stored; its beginning and last four characters tell keys apart in a list."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=20, editable=False)
    last4 = models.CharField(max_length=4, editable=False)
    scopes = models.JSONField(default=list)
    limit_requests = models.PositiveIntegerField(default=60)
    limit_seconds = models.PositiveIntegerField(default=10)
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=clock.now)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.prefix}…{self.last4}"

    @property
    def limit(self) -> str:
        return f"{self.limit_requests}/{self.limit_seconds}"
