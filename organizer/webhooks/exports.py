"""Deliveries as a file: what the list shows, without bodies."""

from collections.abc import Iterator, Sequence

from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.kit import days
from organizer.kit.exports import Cell, Sheet
from organizer.kit.paging import every_row
from organizer.webhooks.deliveries import Scope
from organizer.webhooks.models import Delivery
from organizer.webhooks.queries import ORDER

_READ = (
    "received_at", "outcome", "event", "reference", "vendor__key", "auth", "delivery_id", "source", "body_size",
    "duplicates", "settled_at", "action",
)  # fmt: skip


def of_list(scope: Scope, *, by: User) -> Sheet:
    """Noted before the first row leaves: a download that breaks off has been one."""
    zone = timezone.get_current_timezone()
    audit.record(
        "deliveries.exported", target=scope.organization, organization=scope.organization, by=by,
        after={"filter": scope.filters.rows.address()},
    )  # fmt: skip
    name = days.zone_name(zone)
    head = [
        _("Received (%s)") % name, _("Outcome"), _("Event"), _("Reference"), _("Supplier"), _("Signature"),
        _("Delivery id"), _("From"), _("Bytes"), _("Times"), _("Settled (%s)") % name,
    ]  # fmt: skip
    day = timezone.localdate().isoformat()
    return Sheet(f"{scope.organization} {_('deliveries')} {day}", head, _rows(scope), zone)


def _rows(scope: Scope) -> Iterator[Sequence[Cell]]:
    rows = scope.rows.select_related("vendor").only(*_READ)
    for one in every_row(rows, order=ORDER):
        yield _cells(one)


def _cells(one: Delivery) -> Sequence[Cell]:
    return [
        one.received_at, str(one.get_outcome_display()), one.event, one.reference, one.vendor.key,
        str(one.get_auth_display()), one.delivery_id, one.source, one.body_size, one.duplicates + 1,
        one.settled_at if one.settled_at and one.action != "stored_only" else None,
    ]  # fmt: skip
