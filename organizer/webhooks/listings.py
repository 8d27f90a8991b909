"""The list of deliveries as one whose views can be saved, and the views that it comes with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.core.exceptions import SuspiciousOperation
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from organizer.lists.registry import Listing
from organizer.webhooks import queries
from organizer.webhooks.deliveries import Scope
from organizer.webhooks.filters import Filters
from organizer.webhooks.models import Outcome

NAME = "deliveries"
MOST_COUNTED = 1_000


@dataclass(frozen=True)
class BuiltIn:
    label: str
    query: str
    count: int
    current: bool

    @property
    def is_more(self) -> bool:
        return self.count > MOST_COUNTED


def read(query: str) -> Filters:
    try:
        return Filters.read(QueryDict(query.removeprefix("?")), timezone.get_current_timezone())
    except SuspiciousOperation:  # more fields than anybody's list has
        return Filters()


def built_in(scope: Scope) -> Sequence[BuiltIn]:
    named = (
        (_("Failed"), Filters(outcome=Outcome.FAILED.value, range="7d")),
        (_("No match"), Filters(outcome=Outcome.NO_MATCH.value, range="7d")),
        (_("Waiting > 2 min"), Filters(outcome=Outcome.WAITING.value, late=True, range="30d")),
    )
    return [
        BuiltIn(
            label,
            replace(filters, columns=scope.filters.columns).address(),
            queries.capped(Scope(scope.organization, filters, scope.now).rows, MOST_COUNTED),
            scope.filters.rows == filters,
        )
        for label, filters in named
    ]


LISTING = Listing(
    NAME,
    cleaned=lambda query: read(query).address(),
    of_one=lambda query: False,
    address=lambda slug, about: reverse("webhooks:index", args=[slug]),
)
