from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from organizer.accounts.models import AuditEntry
from organizer.kit.paging import every_row, keyset_page

START = datetime(2026, 11, 21, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def entries(minutes):
    AuditEntry.objects.all().delete()
    AuditEntry.objects.bulk_create(
        [AuditEntry(at=START + timedelta(minutes=m), by_name="x", source="web", verb="v") for m in minutes]
    )
    return AuditEntry.objects.all()


def walk(rows, order, size):
    cursor, pages = "", []
    while True:
        page = keyset_page(rows, order=order, cursor=cursor, size=size)
        pages.append(page)
        cursor = page.next_cursor
        if not cursor:
            return pages


@pytest.mark.parametrize("order", [("at", "id"), ("-at", "-id")])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(minutes=st.lists(st.integers(0, 3), max_size=14), size=st.integers(1, 5))
def test_shows_each_row_once_whatever_ties_there_are(db, order, minutes, size):
    rows = entries(minutes)
    pages = walk(rows, order, size)
    assert [row.pk for page in pages for row in page.rows] == list(rows.order_by(*order).values_list("pk", flat=True))


def test_goes_back_the_way_it_came():
    rows = entries([5, 1, 1, 3, 2, 2, 9])
    pages = walk(rows, ("at", "id"), 3)
    back = keyset_page(rows, order=("at", "id"), cursor=pages[-1].previous_cursor, size=3)
    assert [row.pk for row in back.rows] == [row.pk for row in pages[-2].rows]
    first = keyset_page(rows, order=("at", "id"), cursor=back.previous_cursor, size=3)
    assert [row.pk for row in first.rows] == [row.pk for row in pages[0].rows]
    assert not first.previous_cursor


def test_shows_a_whole_first_page_when_going_back_finds_less():
    rows = entries(range(4))
    second = walk(rows, ("at", "id"), 2)[1]
    AuditEntry.objects.filter(at=START).delete()
    assert len(keyset_page(rows, order=("at", "id"), cursor=second.previous_cursor, size=2).rows) == 2


@pytest.mark.parametrize(
    "cursor",
    ["nonsense", "a:b:c", "\x00", signing.dumps([1]), signing.dumps("x", salt="organizer.kit.paging")],
    ids=["words", "colons", "nul", "signed for another", "of another shape"],
)
def test_begins_anew_with_a_cursor_that_is_not_ours(cursor):
    page = keyset_page(entries(range(3)), order=("at", "id"), cursor=cursor, size=2)
    assert page.restarted
    assert len(page.rows) == 2


def test_begins_anew_when_the_filter_changed():
    rows = entries(range(5))
    page = keyset_page(rows, order=("at", "id"), filters="status=valid", size=2)
    other = keyset_page(rows, order=("at", "id"), filters="status=rejected", cursor=page.next_cursor, size=2)
    assert other.restarted
    assert not keyset_page(rows, order=("at", "id"), filters="status=valid", cursor=page.next_cursor, size=2).restarted


@pytest.mark.parametrize("order", [("at", "id"), ("-at", "-id")])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(minutes=st.lists(st.integers(0, 3), max_size=14), size=st.integers(1, 5))
def test_gives_every_row_once_in_slices(db, order, minutes, size):
    rows = entries(minutes)
    given_out = [row.pk for row in every_row(rows, order=order, size=size)]
    assert given_out == list(rows.order_by(*order).values_list("pk", flat=True))
