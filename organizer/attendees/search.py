"""Finding guests by any part of what is known of them. How `search` is written: `attendees.rules.search_text`."""

from django.db.models import Q, QuerySet

from organizer.attendees.models import Attendee
from organizer.kit.text import fold

FEW = 500
"""Up to so many matches are sorted; more are found soon enough by walking the list in its order."""
WHOLE_PART = 3


def matching(q: str) -> Q:
    """Every word must occur: three letters and more anywhere, fewer at the beginning of a part of the name."""
    condition = Q()
    for word in fold(q).split():
        condition &= Q(search__contains=word if len(word) >= WHOLE_PART else f" {word}")
    return condition


def narrow(rows: QuerySet[Attendee], everybody: QuerySet[Attendee], q: str) -> tuple[QuerySet[Attendee], int | None]:
    """`rows` that match, and how many of `everybody` do where these are few.

    Asked first without filter or order, so that the search index alone answers (SQLite: one that covers;
    PostgreSQL: trigrams). Otherwise a rare word would be looked for row by row, in the order of the list.
    """
    if not fold(q):
        return rows, None
    found = list(everybody.filter(matching(q)).order_by().values_list("pk", "gone_at")[: FEW + 1])
    if len(found) > FEW:
        return rows.filter(matching(q)), None
    # the gone are told apart here: one more condition might take the search index from the planner
    return rows.filter(pk__in=[pk for pk, _ in found]), sum(gone_at is None for _, gone_at in found)
