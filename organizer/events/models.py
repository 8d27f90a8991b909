from django.db import models
from django.utils import timezone

from organizer.accounts.models import Membership
from organizer.events.rules import FAR_FUTURE
from organizer.kit.fields import FoldedField
from organizer.sync.models import Mirrored


class Event(Mirrored):
    name = models.TextField()
    sort_name = FoldedField()
    status = models.TextField()  # the provider's word; an unknown one is kept as it came
    starts_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    sort_start = models.DateTimeField(default=FAR_FUTURE)
    timezone = models.TextField(default="UTC")
    location_type = models.TextField(default="")
    place = models.TextField(default="")  # venue and city on one line, or the meeting's address
    url = models.TextField(default="")
    currency = models.TextField(default="")
    capacity = models.BigIntegerField(default=0)  # 0 is unlimited
    tickets_sold = models.BigIntegerField(default=0)
    registration_status = models.TextField(default="")
    hidden = models.BooleanField(default=False)
    require_approval = models.BooleanField(default=False)
    notify_at_check_in = models.BooleanField(default=False)  # ours: whether the provider mails who is let in
    search = FoldedField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "remote_id"], name="event_once")]
        indexes = [models.Index(fields=["organization", "sort_start", "id"], name="event_by_start")]

    def __str__(self) -> str:
        return self.name


class TicketClass(Mirrored):
    event = models.ForeignKey(Event, models.CASCADE, related_name="ticket_classes")
    name = models.TextField()
    status = models.TextField()
    kind = models.TextField(default="fixed")
    currency = models.TextField(default="")
    cost = models.DecimalField(max_digits=16, decimal_places=4, default=0)  # major units
    free = models.BooleanField(default=False)
    quantity_total = models.BigIntegerField(default=0)  # 0 is unlimited
    quantity_sold = models.BigIntegerField(default=0)
    sales_start = models.DateTimeField(null=True)
    sales_end = models.DateTimeField(null=True)
    require_approval = models.BooleanField(default=False)
    hidden = models.BooleanField(default=False)
    listed_at = models.DateTimeField(default=FAR_FUTURE)  # the API's created_at: the order of its lists

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "remote_id"], name="ticket_class_once")]
        indexes = [models.Index(fields=["event", "listed_at", "id"], name="ticket_class_by_age")]

    def __str__(self) -> str:
        return self.name


class CalendarFeed(models.Model):
    """A member's address for calendar programs. Who has it needs no session; it goes with the membership."""

    membership = models.OneToOneField(Membership, models.CASCADE, primary_key=True, related_name="calendar_feed")
    token_hash = models.CharField(max_length=64, unique=True)  # SHA-256: the address itself is kept nowhere
    created_at = models.DateTimeField(default=timezone.now)
    fetched_at = models.DateTimeField(null=True)  # to the hour

    def __str__(self) -> str:
        return f"calendar of {self.membership}"
