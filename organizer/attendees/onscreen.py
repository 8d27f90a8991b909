"""An open list beside how things stand: which of its rows have changed, and how many are missing from it."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Sum

from organizer.accounts.models import Organization
from organizer.attendees.models import Attendee, StatusCount
from organizer.attendees.queries import Scope
from organizer.attendees.rows import GuestRow, rows_of
from organizer.events.models import Event
from organizer.kit.paging import SIZE


def changed(
    organization: Organization, name: str, said: Sequence[str], columns: Sequence[str] = ()
) -> Sequence[GuestRow]:
    """`said` are keys and versions as the page has them: `<id>.<version>`."""
    versions: dict[UUID, str] = {}
    for one in said[:SIZE]:
        text, _dot, version = one.partition(".")
        if found := key(text):
            versions[found] = version
    mine = Attendee.objects.filter(organization=organization, connection__live=True, pk__in=versions)
    rows = rows_of(list(mine.select_related("event").defer("payload", "search", "event__payload")), name, columns)
    return [row for row in rows if row.version != versions[row.guest.pk]]


def moved(organization: Organization, event: Event | None, status: str, known: int | None) -> int:
    """How many more the list has by now than the page says, by kept counts. Who left it still stands on the page."""
    if known is None:
        return 0
    kept = StatusCount.objects.filter(event__in=Scope(organization, event).events)
    kept = kept.filter(status=status) if status else kept
    return (kept.aggregate(sum=Sum("count"))["sum"] or 0) - known


def key(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
