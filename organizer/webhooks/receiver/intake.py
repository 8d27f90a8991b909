"""The one INSERT that a 200 stands for."""

from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from organizer.kit import quick
from organizer.webhooks.models import Delivery

_ONCE = "ON CONFLICT (vendor_id, dedupe_key) DO NOTHING RETURNING id"


def store(delivery: Delivery, *, same_body_for: int | None) -> bool:
    """Whether it is new. Raises DatabaseError where nothing could be stored."""
    if _insert(delivery):
        return True
    if same_body_for is None or delivery.delivery_id:
        return False
    before = delivery.received_at - timedelta(seconds=same_body_for)
    return _make_room(delivery.vendor_id, bytes(delivery.dedupe_key), before) and _insert(delivery)


def dedupe_key(delivery_id: str, body_hash: bytes) -> bytes:
    """Ids and bodies are two spaces: no id is mistaken for a body."""
    return sha256(b"i:" + delivery_id.encode() if delivery_id else b"b:" + body_hash).digest()


def _insert(delivery: Delivery) -> bool:
    return quick.returned(quick.insert(delivery, then=_ONCE)) is not None


def _make_room(vendor_id: UUID, key: bytes, before: datetime) -> bool:
    """The same bytes again after the vendor's window: what was stored gives its key up, by compare-and-set."""
    rows = Delivery.objects.filter(vendor_id=vendor_id, dedupe_key=key)
    old = rows.filter(received_at__lt=before).values_list("pk", flat=True).first()
    return old is not None and bool(rows.filter(pk=old).update(dedupe_key=sha256(key + str(old).encode()).digest()))
