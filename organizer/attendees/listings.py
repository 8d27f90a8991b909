"""The guest lists whose views can be saved."""

from uuid import UUID

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict
from django.urls import reverse

from organizer.attendees.columns import APPROVALS, EVENT, EVERYBODY
from organizer.attendees.filters import Filters
from organizer.lists.registry import Listing

NAMES = {EVENT: "event-guests", EVERYBODY: "guests", APPROVALS: "approvals"}


def read(query: str, name: str) -> Filters:
    try:
        return Filters.read(QueryDict(query.removeprefix("?")), name)
    except SuspiciousOperation:  # more fields than anybody's list has
        return Filters()


def _of_event(slug: str, about: str) -> str | None:
    try:
        return reverse("attendees:for_event", args=[slug, UUID(about)])
    except ValueError:
        return None


LISTINGS = (
    Listing(
        NAMES[EVENT],
        cleaned=lambda query: read(query, EVENT).address(),
        of_one=lambda query: bool(read(query, EVENT).classes),
        address=_of_event,
    ),
    Listing(
        NAMES[EVERYBODY],
        cleaned=lambda query: read(query, EVERYBODY).address(),
        of_one=lambda query: False,
        address=lambda slug, about: reverse("attendees:index", args=[slug]),
    ),
    Listing(
        NAMES[APPROVALS],
        cleaned=lambda query: read(query, APPROVALS).address(),
        # it stands above that event's alone, and with the event it is gone
        of_one=lambda query: read(query, APPROVALS).event is not None,
        address=lambda slug, about: reverse("attendees:approvals", args=[slug]),
    ),
)
