"""Deliveries as a file: what the list shows, without bodies."""

from collections.abc import Iterator, Sequence

from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.accounts import audit
from organizer.accounts.models import User
from organizer.kit import days
from organizer.kit.exports import Cell, Sheet
from organizer.kit.paging import every_row
from organizer.webhooks import columns
from organizer.webhooks.columns import Column
from organizer.webhooks.deliveries import Scope
from organizer.webhooks.queries import ORDER

_TO_WALK = ("received_at", "vendor__key")


def of_list(scope: Scope, *, by: User) -> Sheet:
    """Noted before the first row leaves: a download that breaks off has been one."""
    zone = timezone.get_current_timezone()
    audit.record(
        "deliveries.exported", target=scope.organization, organization=scope.organization, by=by,
        after={"filter": scope.filters.rows.address()},
    )  # fmt: skip
    chosen = columns.in_file(scope.filters.columns)
    name = days.zone_name(zone)
    head = [f"{column.label} ({name})" if column.timed else str(column.label) for column in chosen]
    day = timezone.localdate().isoformat()
    return Sheet(f"{scope.organization} {_('deliveries')} {day}", head, _rows(scope, chosen), zone)


def _rows(scope: Scope, chosen: Sequence[Column]) -> Iterator[Sequence[Cell]]:
    read = {*_TO_WALK, *(field for column in chosen for field in column.fields)}
    for one in every_row(scope.rows.select_related("vendor").only("vendor_id", *read), order=ORDER):
        yield [column.of(one) for column in chosen]
