"""What a delivery's row says, wherever it is shown."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from organizer.webhooks.models import Delivery, Note, Outcome, Proof, Vendor

LOOKS = {
    Outcome.WAITING: ("info", "clock-hour-4"),
    Outcome.CHANGED: ("ok", "f-circle-check"),
    Outcome.UNCHANGED: ("mute", "equal"),
    Outcome.NO_MATCH: ("warn", "circle-dashed"),
    Outcome.FAILED: ("stop", "alert-triangle"),
    Outcome.STORED_ONLY: ("mute", "archive"),
    Outcome.TEST: ("mute", "flask"),
}
"""The colour and the icon of an outcome; the word stands beside them."""


@dataclass(frozen=True)
class DeliveryRow:
    delivery: Delivery
    vendor: Vendor
    order_url: str = ""
    excerpt: str = ""
    """What stands there instead of the beginning of the body."""
    note: Note | None = None

    @property
    def version(self) -> str:
        one = self.delivery
        return f"{one.outcome}-{one.duplicates}-{int(one.odd)}-{int(bool(one.beginning))}-{int(self.note is not None)}"

    @property
    def level(self) -> str:
        return LOOKS[Outcome(self.delivery.outcome)][0]

    @property
    def icon(self) -> str:
        return LOOKS[Outcome(self.delivery.outcome)][1]

    @property
    def times(self) -> int:
        return self.delivery.duplicates + 1

    @property
    def by_ip(self) -> bool:
        return self.delivery.auth == Proof.IP

    @property
    def by_old_secret(self) -> bool:
        return self.delivery.auth == Proof.OLD_SECRET

    @property
    def took(self) -> str:
        """From the first byte to the outcome; nothing where there was nothing to do."""
        one = self.delivery
        if one.settled_at is None or one.outcome in (Outcome.STORED_ONLY, Outcome.TEST):
            return ""
        return duration(one.settled_at - one.received_at)

    @property
    def settled_at(self) -> datetime | None:
        return self.delivery.settled_at


def duration(time: timedelta) -> str:
    seconds = max(0.0, time.total_seconds())
    if seconds < 0.95:
        return _("%(n)s ms") % {"n": round(seconds * 1000)}
    if seconds < 60:
        return _("%(n)s s") % {"n": f"{seconds:.1f}"}
    if seconds < 3600:
        return _("%(n)s min") % {"n": round(seconds / 60)}
    hours = seconds / 3600
    return _("%(n)s h") % {"n": round(hours)} if hours < 48 else _("%(n)s d") % {"n": round(hours / 24)}
