"""Orders at suppliers, how they moved, their tickets; and what is to be asked of a supplier next."""

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from organizer.accounts.models import Organization
from organizer.kit.fields import FoldedField
from organizer.kit.ids import new_id
from organizer.orders import rules
from organizer.sync.models import Mirrored
from organizer.webhooks.models import Cause, Reconciliation, Vendor


class State(models.TextChoices):
    PLACING = rules.PLACING, _("Placing")
    PENDING = rules.PENDING, _("Pending")
    ACCEPTED = rules.ACCEPTED, _("Accepted")
    FULFILLED = rules.FULFILLED, _("Fulfilled")
    REJECTED = rules.REJECTED, _("Rejected")
    CANCELLED = rules.CANCELLED, _("Cancelled")
    FAILED = rules.FAILED, _("Failed")


class Order(Mirrored):
    """Ours from before the supplier knows it. Its state is what the supplier last answered, and nothing else's word."""

    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="orders", db_index=False)
    reference = models.CharField(max_length=100)
    wanted = models.JSONField(default=list)  # [{listing_id, quantity, and what the listing said when it was chosen}]
    customer_name = models.CharField(max_length=200)
    customer_email = models.CharField(max_length=254)
    digest = models.CharField(max_length=64)  # of what was asked for: the same again is the same order
    search = FoldedField()
    placed_at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False)
    by_name = models.CharField(max_length=200, default="")

    # by `rules.effective`
    state = models.CharField(max_length=rules.STATE_LENGTH, default=rules.PLACING)  # an unknown word stays as it came
    currency = models.TextField(default="")
    total = models.DecimalField(max_digits=16, decimal_places=4, default=0)
    rejection_reason = models.TextField(default="")

    # what the checks found and when they are due; null: no more
    unexpected_move = models.BooleanField(default=False)
    state_read_at = models.DateTimeField(default=timezone.now)
    state_due_at = models.DateTimeField(null=True)
    fulfilment_read_at = models.DateTimeField(default=timezone.now)
    fulfilment_due_at = models.DateTimeField(null=True)
    fulfilment = models.TextField(default="")  # the supplier's word
    tickets_expected = models.PositiveIntegerField(default=0)
    problem = models.TextField(default="")  # why the last check told nothing

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "remote_id"], name="order_once"),
            models.UniqueConstraint(fields=["vendor", "reference"], name="order_reference_once"),
        ]
        indexes = [
            models.Index(fields=["organization", "-id"], name="order_newest"),
            models.Index(fields=["organization", "state", "-id"], name="order_by_state"),
            models.Index(fields=["vendor", "-id"], name="order_of_vendor"),
            models.Index(fields=["vendor", "state", "-id"], name="order_of_vendor_by_state"),
            models.Index(fields=["organization", "search", "id"], name="order_search"),  # PostgreSQL: of trigrams
            models.Index(
                fields=["organization", "-id", "unexpected_move"],
                condition=models.Q(unexpected_move=True),
                name="order_unexpected",
            ),
            models.Index(  # of what may be late
                fields=["organization", "state_read_at", "vendor", "id"],
                condition=models.Q(state_due_at__isnull=False),
                name="order_state_read",
            ),
            models.Index(
                fields=["organization", "fulfilment_read_at", "vendor", "id"],
                condition=models.Q(fulfilment_due_at__isnull=False),
                name="order_fulfilment_read",
            ),
            models.Index(
                fields=["vendor", "state_due_at"],
                condition=models.Q(state_due_at__isnull=False),
                name="order_state_due",
            ),
            models.Index(
                fields=["vendor", "fulfilment_due_at"],
                condition=models.Q(fulfilment_due_at__isnull=False),
                name="order_fulfilment_due",
            ),
        ]

    def __str__(self) -> str:
        return self.reference

    @property
    def is_open(self) -> bool:
        return self.state not in rules.FINAL


class MoveCause(models.TextChoices):
    PLACED = "placed", _("Placed")
    OUTBOX = "outbox", _("Answer to placing it")
    WEBHOOK = Cause.WEBHOOK.value, Cause.WEBHOOK.label
    PERIODIC = Cause.PERIODIC.value, Cause.PERIODIC.label
    PERSON = Cause.PERSON.value, Cause.PERSON.label


class OrderMove(models.Model):
    """One entry of an order's history, written with the change itself."""

    order = models.ForeignKey(Order, models.CASCADE, related_name="moves")
    at = models.DateTimeField(default=timezone.now)
    before = models.CharField(max_length=rules.STATE_LENGTH, blank=True)
    after = models.CharField(max_length=rules.STATE_LENGTH)
    cause = models.CharField(max_length=8, choices=MoveCause.choices)
    is_unexpected = models.BooleanField(default=False)
    reconciliation = models.ForeignKey(
        Reconciliation, models.DO_NOTHING, null=True, related_name="+", db_index=False, db_constraint=False
    )

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"


def ticket_files() -> Storage:
    return storages["tickets"]


class Ticket(models.Model):
    """One that the supplier said can be fetched. Without a file its `value` is all that there is of it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    order = models.ForeignKey(Order, models.CASCADE, related_name="tickets", db_index=False)
    remote_id = models.TextField()
    type = models.TextField(default="")
    row = models.TextField(default="")
    seat = models.TextField(default="")
    value = models.TextField(default="")
    file = models.FileField(storage=ticket_files, max_length=200, blank=True)
    content_type = models.CharField(max_length=100, blank=True)
    size = models.PositiveIntegerField(default=0)
    seen_at = models.DateTimeField(default=timezone.now)
    fetched_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True)  # when its file is asked for; null: it is here
    tries = models.PositiveIntegerField(default=0)
    problem = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["order", "remote_id"], name="ticket_once")]
        indexes = [models.Index(fields=["next_at"], condition=models.Q(next_at__isnull=False), name="ticket_to_fetch")]

    def __str__(self) -> str:
        return " ".join(filter(None, [self.type, self.row, self.seat])) or self.remote_id


class Wake(models.Model):
    """Somebody wants to know how an order stands: one at a time for each, however many want it."""

    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="wakes", db_index=False)
    reference = models.CharField(max_length=255)
    cause = models.CharField(max_length=8, choices=Cause.choices)
    rank = models.SmallIntegerField(default=1)  # whose turn it is: a person's, a delivery's, the schedule's
    by_name = models.CharField(max_length=200, blank=True)
    in_bulk = models.BooleanField(default=False)  # a bulk counts what comes of it
    tries = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)
    holder = models.CharField(max_length=200, default="", blank=True)
    until = models.DateTimeField(null=True)  # the lease

    class Meta:
        constraints = [models.UniqueConstraint(fields=["vendor", "reference"], name="wake_once")]
        indexes = [models.Index(fields=["vendor", "rank", "next_at"], name="wake_next")]

    def __str__(self) -> str:
        return self.reference


class Bulk(models.Model):
    """Many orders that a person wants looked at: lined up a few at a time, and told how far it is."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", db_index=False)
    by_name = models.CharField(max_length=200)
    source = models.CharField(max_length=20)  # the list that it was chosen in
    query = models.TextField(blank=True)  # the list's, to go back to
    deliveries = models.PositiveIntegerField(default=0)  # that were chosen; of orders, 0
    total = models.PositiveIntegerField()
    made_at = models.DateTimeField(default=timezone.now)
    cancelled_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "-made_at"], name="bulk_newest"),
            models.Index(fields=["organization"], condition=models.Q(finished_at=None), name="bulk_under_way"),
        ]

    def __str__(self) -> str:
        return f"{self.total} orders"


class BulkItem(models.Model):
    """One order of a bulk, or a stored delivery that is to be read again first; open until it has an outcome."""

    bulk = models.ForeignKey(Bulk, models.CASCADE, related_name="items", db_index=False)
    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="+", db_index=False)
    reference = models.CharField(max_length=255, blank=True)
    delivery_id = models.BigIntegerField(null=True)
    outcome = models.CharField(max_length=11, blank=True)
    reason = models.TextField(blank=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["bulk", "outcome"], name="bulk_item_of"),
            models.Index(fields=["vendor", "reference"], condition=models.Q(outcome=""), name="bulk_item_open"),
        ]

    def __str__(self) -> str:
        return self.reference or str(self.delivery_id)


class Gate(models.Model):
    """How fast a supplier is asked, and whether at all: changed by compare-and-set."""

    vendor = models.OneToOneField(Vendor, models.CASCADE, primary_key=True, related_name="gate")
    slot_at = models.DateTimeField(default=timezone.now)  # the next request may leave then
    failures = models.PositiveIntegerField(default=0)  # in a row
    rests_until = models.DateTimeField(null=True)
    problem = models.TextField(default="")  # of the last failure
    slow_until = models.DateTimeField(null=True)  # answers take so long that the budget cannot be used

    def __str__(self) -> str:
        return f"gate of {self.vendor_id}"


class ListingSearch(models.Model):
    """What a person asked a supplier's listings for: answered by the worker, forgotten after minutes."""

    vendor = models.ForeignKey(Vendor, models.CASCADE, related_name="searches", db_index=False)
    q = models.CharField(max_length=100, blank=True)
    asked_at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True)
    found = models.JSONField(default=list)
    total = models.PositiveIntegerField(null=True)
    problem = models.TextField(default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["vendor", "q"], name="listing_search_once")]

    def __str__(self) -> str:
        return self.q


class ShopKey(models.Model):
    """With which an organizer's own shop places orders. Only its hash is kept; it is shown once."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="shop_keys")
    name = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=20)
    last4 = models.CharField(max_length=4)
    created_at = models.DateTimeField(default=timezone.now)
    by_name = models.CharField(max_length=200, default="")
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class ShopAnswer(models.Model):
    """What a shop's request was answered, by its Idempotency-Key: said again for a day."""

    key = models.ForeignKey(ShopKey, models.CASCADE, related_name="answers", db_index=False)
    idempotency_key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)  # of the body
    answer = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "idempotency_key"], name="shop_answer_once")]

    def __str__(self) -> str:
        return self.idempotency_key
