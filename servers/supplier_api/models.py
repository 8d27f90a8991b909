"""What suppliers offer and sell, and what they told the retail service of it."""

from django.db import models
from django.db.models import Q

from servers.kit import clock
from servers.kit.ids import new_barcode
from servers.kit.limits import Window
from servers.kit.models import Noun
from servers.supplier_api.rules import Status, Step

DEFAULT_HEADER = "X-Vendor-Signature"


class Supplier(models.Model):
    class Auth(models.TextChoices):
        """How the retail service knows who notifies it."""

        HMAC = "hmac", "Signature"
        IP = "ip", "Source address"

    key = models.CharField(max_length=60, unique=True)
    """The retail service's name for it, in the notify address."""
    name = models.CharField(max_length=120)
    is_open = models.BooleanField(default=True)
    notify_url = models.CharField(max_length=500, default="", blank=True)
    auth = models.CharField(max_length=4, choices=Auth.choices, default=Auth.HMAC)
    signature_header = models.CharField(max_length=60, default=DEFAULT_HEADER)
    has_prefix = models.BooleanField(default=False)
    """`sha256=` before the signature."""
    sealed_secret = models.BinaryField(default=bytes, editable=False)
    moves = models.BooleanField(default=False)
    """Its orders go on by themselves."""
    step_seconds = models.PositiveIntegerField(default=4)
    rejects_each = models.PositiveIntegerField(default=7)
    limit_requests = models.PositiveIntegerField(default=60)
    limit_seconds = models.PositiveIntegerField(default=10)
    orders_placed = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.name


class SupplierKey(models.Model):
    """With which the retail service places and reads orders. Only its hash is stored."""

    supplier = models.ForeignKey(Supplier, models.CASCADE, related_name="keys")
    sha256 = models.CharField(max_length=64, unique=True, editable=False)
    prefix = models.CharField(max_length=20, editable=False)
    last4 = models.CharField(max_length=4, editable=False)
    created_at = models.DateTimeField(default=clock.now)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.prefix}…{self.last4}"


class Listing(Noun):
    """Tickets of one event and section at one price."""

    class TicketType(models.TextChoices):
        PDF = "pdf", "PDF"
        QRCODE = "qrcode", "QR code"
        BARCODE = "barcode", "Barcode"

    supplier = models.ForeignKey(Supplier, models.CASCADE, related_name="listings", db_index=False)
    event_name = models.CharField(max_length=200)
    starts_at = models.DateTimeField()
    section = models.CharField(max_length=120)
    price = models.DecimalField(max_digits=12, decimal_places=3)
    currency = models.CharField(max_length=3)
    available = models.PositiveIntegerField()
    assigned = models.PositiveIntegerField(default=0)
    """How many seats were ever given out: one that comes back is sold under a new number."""
    seats_a_row = models.PositiveIntegerField(default=0)
    """0 where people stand."""
    ticket_type = models.CharField(max_length=10, choices=TicketType.choices, default=TicketType.PDF)
    search = models.TextField(default="", blank=True)

    class Meta:
        indexes = [models.Index(fields=["supplier", "starts_at", "id"], name="listings_in_order")]

    def __str__(self) -> str:
        return f"{self.event_name}, {self.section}"


class Order(Noun):
    supplier = models.ForeignKey(Supplier, models.CASCADE, related_name="orders", db_index=False)
    number = models.PositiveIntegerField()
    """The supplier's so-manieth."""
    reference = models.CharField(max_length=100)
    """The retail service's own name for it, exactly as it came."""
    body_sha256 = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=[(s.value, s.value) for s in Status], default=Status.PENDING)
    currency = models.CharField(max_length=3)
    total = models.DecimalField(max_digits=14, decimal_places=3)
    customer_name = models.CharField(max_length=200)
    customer_email = models.CharField(max_length=254)
    rejection_reason = models.CharField(max_length=500, default="", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["supplier", "reference"], name="order_reference_once")]
        indexes = [models.Index(fields=["supplier", "-number"], name="orders_newest_first")]

    def __str__(self) -> str:
        return self.reference


class OrderItem(Noun):
    order = models.ForeignKey(Order, models.CASCADE, related_name="items")
    listing = models.ForeignKey(Listing, models.PROTECT, related_name="items")
    place = models.PositiveIntegerField()
    """Its place in the order."""
    quantity = models.PositiveIntegerField()
    price = models.DecimalField(max_digits=12, decimal_places=3)
    section = models.CharField(max_length=120)
    row = models.CharField(max_length=10, null=True)
    seats = models.JSONField(default=list)

    class Meta:
        ordering = ["place"]

    def __str__(self) -> str:
        return f"{self.quantity} × {self.section}"


class Move(models.Model):
    """The history of an order."""

    order = models.ForeignKey(Order, models.CASCADE, related_name="history")
    step = models.CharField(max_length=10, choices=[(s.value, s.value) for s in Step])
    note = models.CharField(max_length=500, default="", blank=True)
    by = models.CharField(max_length=150, default="", blank=True)
    """Who signed in; empty where nobody did."""
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.order}: {self.step}"


class Ticket(Noun):
    """Made when the order is accepted, retrievable when the supplier says so, drawn when it is first asked for."""

    item = models.ForeignKey(OrderItem, models.CASCADE, related_name="tickets")
    order = models.ForeignKey(Order, models.CASCADE, related_name="tickets")
    place = models.PositiveIntegerField()
    type = models.CharField(max_length=10, choices=Listing.TicketType.choices)
    row = models.CharField(max_length=10, null=True)
    seat = models.CharField(max_length=10, null=True)
    code = models.CharField(max_length=40, default=new_barcode, unique=True)
    retrievable_at = models.DateTimeField(null=True, blank=True)
    content = models.BinaryField(default=bytes, editable=False)

    class Meta:
        ordering = ["place"]

    def __str__(self) -> str:
        return self.code


class Delivery(models.Model):
    """A notification to the retail service: the very bytes, and under which id they are sent each time."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        DELIVERED = "delivered", "Delivered"
        FAILED = "failed", "Failed"

    supplier = models.ForeignKey(Supplier, models.CASCADE, related_name="deliveries", db_index=False)
    order = models.ForeignKey(Order, models.CASCADE, related_name="deliveries")
    webhook_id = models.CharField(max_length=40, unique=True)
    event = models.CharField(max_length=40)
    body = models.BinaryField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    turn = models.PositiveIntegerField(default=0)
    """Which of its jobs sends it: one from before somebody sent it again does nothing."""
    tries = models.PositiveIntegerField(default=0)
    """Since it was put, or sent again by somebody."""
    started_at = models.DateTimeField(default=clock.now)
    next_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        indexes = [
            models.Index(fields=["supplier", "-id"], name="deliveries_newest_first"),
            models.Index(fields=["supplier", "state", "-id"], name="deliveries_by_state"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="waiting") | Q(next_at=None), name="only_what_waits_has_a_next_attempt"
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.webhook_id}"


class Attempt(models.Model):
    """One sending. Written before it, so that one that was cut off is seen as well."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="attempts")
    began_at = models.DateTimeField(default=clock.now)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    """None while it is under way, and for good where its process died."""
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.CharField(max_length=300, default="", blank=True)
    answer = models.TextField(default="", blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.delivery}: {self.status or self.error or 'under way'}"


class RateWindow(Window):
    """Of the suppliers' keys and callers."""
