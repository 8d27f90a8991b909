"""How asking a supplier about its orders goes: what its page says of it."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from organizer.orders import queries
from organizer.orders.models import Gate, Order
from organizer.orders.rows import LateLine
from organizer.orders.rules import Standing
from organizer.webhooks.models import Vendor
from organizer.webhooks.registry import Step


def steps(vendor: Vendor, now: datetime) -> Sequence[Step]:
    gate = Gate.objects.filter(vendor=vendor).first()
    standing = queries.standing(vendor, now)
    return [_reached(vendor, gate, standing, now), *_late(vendor, now)]


def _reached(vendor: Vendor, gate: Gate | None, standing: Standing, now: datetime) -> Step:
    """One line: the worst of what holds."""
    connection = vendor.connection
    asked_at = min(gate.slot_at, now) if gate else None
    if connection is None or not standing.connected:
        return Step("mute", _("It cannot be asked"), _("There is no address for its orders in its settings."))
    if standing.key_refused:
        return Step("stop", _("It refuses our key"), connection.health_message, connection.health_since)
    if gate and gate.rests_until and gate.rests_until > now:
        return Step("stop", _("It failed again and again. Left alone until"), gate.problem, gate.rests_until)
    if gate and standing.failures:
        return Step("warn", _("It did not answer as it should"), gate.problem, asked_at)
    if standing.slow:
        return Step("warn", _("It answers slowly"), _("Orders may have to wait their turn."), asked_at)
    if asked_at is None or not Order.objects.filter(vendor=vendor).exists():
        return Step("mute", _("Not asked yet"), _("It is, as soon as there is an order."))
    return Step("ok", _("It answers"), _("Each open order hourly, its tickets every ten minutes."), asked_at)


def _late(vendor: Vendor, now: datetime) -> Sequence[Step]:
    late = queries.lateness(vendor.organization, now, vendor)
    return [Step("warn", LateLine(one).text, one.problem, one.oldest) for one in late]
