"""Where to find exactly what an alert is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from organizer.alerts.models import Alert, Condition


@dataclass(frozen=True)
class Link:
    text: str
    url: str


def of(alert: Alert) -> Sequence[Link]:
    """The first is what it is about."""
    slug, vendor = alert.organization.slug, alert.vendor
    deliveries, since, until = reverse("webhooks:index", args=[slug]), alert.began_at, alert.resolved_at
    if vendor is None:
        return [Link(_("The deliveries of that time"), _at(deliveries, since=since, until=until))]
    key = vendor.key
    supplier = Link(_("The supplier"), reverse("webhooks:vendor", args=[slug, vendor.pk]))
    match Condition(alert.condition):
        case Condition.REJECTS:
            refused = _at(reverse("webhooks:rejected", args=[slug]), vendor=key, since=since, until=until)
            first = Link(_("What was refused"), refused)
        case Condition.NO_MATCH:
            no_match = _at(deliveries, outcome="no_match", vendor=key, since=since, until=until)
            first = Link(_("The deliveries without an order"), no_match)
        case Condition.FAILED:
            failed = _at(deliveries, outcome="failed", vendor=key, since=since, until=until)
            first = Link(_("The deliveries that failed"), failed)
        case Condition.WAITING:
            # while it is so, those that wait; later what was received in that time
            outcome = {} if until else {"outcome": "waiting"}
            first = Link(
                _("The deliveries that wait"), _at(deliveries, vendor=key, since=since, until=until, **outcome)
            )
        case Condition.QUIET:
            # the week before it fell silent, its last delivery with it
            last = since + timedelta(seconds=1)
            before = _at(deliveries, vendor=key, since=since - timedelta(days=7), until=last)
            first = Link(_("Its last deliveries"), before)
        case Condition.OLD_SECRET:
            old = _at(deliveries, vendor=key, auth="old", since=since, until=until)
            first = Link(_("The deliveries signed with it"), old)
        case Condition.LATE:
            late = reverse("orders:index", args=[slug])
            first = Link(_("The orders that are late"), f"{late}?{urlencode({'tab': 'late', 'vendor': key})}")
        case _:
            return [supplier]
    return [first, supplier]


def _at(path: str, **asked: str | datetime | None) -> str:
    said = {name: _written(value) for name, value in asked.items() if value}
    return f"{path}?{urlencode(said)}"


def _written(value: str | datetime | None) -> str:
    return f"{value:%Y-%m-%dT%H:%M:%SZ}" if isinstance(value, datetime) else str(value)
