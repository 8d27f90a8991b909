"""Search stays quick: a change of the table must not take its index away, as one did on SQLite."""

import pytest
from django.db import connection

from organizer.attendees.models import Attendee
from organizer.attendees.search import matching

pytestmark = pytest.mark.django_db


def test_reads_its_own_index():
    with connection.cursor() as cursor:
        made = connection.introspection.get_constraints(cursor, Attendee._meta.db_table)["attendee_search"]
    columns = ["event_id", "search", "gone_at", "id"] if connection.vendor == "sqlite" else ["search"]
    assert made["index"]
    assert made["columns"] == columns


@pytest.mark.parametrize("words", ["ann", "anna nkosi", "lu"])
def test_reads_nothing_but_the_index_on_sqlite(event, words):
    asked = Attendee.objects.filter(matching(words), event__in=[event]).order_by().values_list("pk", "gone_at")
    plan = asked.explain()
    assert connection.vendor != "sqlite" or "USING COVERING INDEX attendee_search" in plan
