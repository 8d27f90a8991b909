"""Views of lists that people keep: a filter, an order and columns under a name."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts.models import Organization
from organizer.kit.fields import FoldedField
from organizer.kit.ids import new_id

LONGEST_NAME = 60


class SavedView(models.Model):
    """`query` is read again by its list whenever it is shown: what the list does not know is not in its address."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    listing = models.CharField(max_length=40)  # the list's name, as its room registered it
    about = models.CharField(max_length=60, blank=True)  # the one object whose list it is for; "" is every one's
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views")
    shared = models.BooleanField(default=False)
    name = models.CharField(max_length=LONGEST_NAME)
    sort_name = FoldedField()
    query = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "listing", "about", "owner", "sort_name"], name="saved_view_once"
            )
        ]

    def __str__(self) -> str:
        """For the audit trail, which others read."""
        return self.name if self.shared else _("a view of their own")


class FirstView(models.Model):
    """What a person's list opens with."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="first_views", db_index=False)
    view = models.ForeignKey(SavedView, models.CASCADE, related_name="first_for")
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    listing = models.CharField(max_length=40)
    about = models.CharField(max_length=60, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "organization", "listing", "about"], name="first_view_once")
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.view_id}"
