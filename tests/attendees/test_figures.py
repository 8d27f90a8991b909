"""Kept counts know class and arrival: what the day-of view asks is counted for nobody anew."""

from datetime import UTC, datetime, timedelta
from importlib import import_module

from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from organizer.attendees import figures
from organizer.attendees.mirror import CROWDED
from organizer.attendees.models import StatusCount
from organizer.attendees.rules import slot
from organizer.attendees.tasks import fold_counts
from organizer.sync.models import Command
from tests.door.acts import admit, undo
from tests.support import mirror

SEVEN, HOUR = datetime(2026, 11, 21, 19, 2, 30, tzinfo=UTC), timedelta(hours=1)


def inside(event, ticket_class=None, at=SEVEN, **fields):
    said = at.isoformat() if at else None
    return mirror.guest(event, ticket_class, status="checked_in", checked_in_at=said, **fields)


def rows():
    """Whatever rows they are kept in."""
    counts = {}
    for row in StatusCount.objects.all():
        figure = row.event_id, row.ticket_class_id, row.status, row.slot
        counts[figure] = counts.get(figure, 0) + row.count
    return {figure: count for figure, count in counts.items() if count}


def test_counts_by_five_minutes():
    assert slot(SEVEN) == datetime(2026, 11, 21, 19, 0, tzinfo=UTC)
    assert slot(datetime(2026, 11, 21, 19, 5, tzinfo=UTC)) == datetime(2026, 11, 21, 19, 5, tzinfo=UTC)
    assert slot(datetime(1969, 12, 31, 23, 59, tzinfo=UTC)) == datetime(1969, 12, 31, 23, 55, tzinfo=UTC)


def test_tells_status_class_and_arrival(event):
    general, press = mirror.ticket_class(event), mirror.ticket_class(event, name="Press")
    mirror.guest(event, general)
    mirror.guest(event, press, status="pending_approval")
    inside(event, general)
    inside(event, press, SEVEN + timedelta(minutes=1))
    inside(event, None, SEVEN + timedelta(minutes=3))
    inside(event, press, None)
    kept = figures.of([event], SEVEN - HOUR, SEVEN + HOUR)[event.pk]
    assert (kept.inside, kept.going, kept.expected, kept.pending) == (4, 1, 5, 1)
    assert kept.arrivals == {slot(SEVEN): 2, slot(SEVEN) + timedelta(minutes=5): 1}
    of_class = {key: (one.inside, one.expected) for key, one in figures.by_class(event).items()}
    assert of_class == {general.pk: (1, 2), press.pk: (2, 2), None: (1, 1)}


def test_reads_the_arrivals_of_a_stretch_only(event):
    for at in (SEVEN - 40 * HOUR, SEVEN, SEVEN + 2 * HOUR):
        inside(event, None, at)
    kept = figures.of([event], SEVEN - HOUR, SEVEN + HOUR)[event.pk]
    assert kept.inside == 3
    assert kept.arrivals == {slot(SEVEN): 1}


def test_follows_a_check_in_and_its_undo(event, cast):
    general = mirror.ticket_class(event)
    guest = mirror.guest(event, general, barcode="FOY-1")
    scan = admit(event, cast.dora, "FOY-1")
    assert rows() == {(event.pk, general.pk, "checked_in", slot(scan.at)): 1}
    undo(scan, cast.dora)
    assert rows() == {(event.pk, general.pk, "valid", None): 1}
    guest.refresh_from_db()
    assert guest.status == "valid"


def test_costs_a_check_in_no_more_rows(event, cast):
    mirror.guest(event, mirror.ticket_class(event), barcode="FOY-1")
    before = StatusCount.objects.count()
    admit(event, cast.dora, "FOY-1")
    assert StatusCount.objects.count() == before + 2
    assert Command.objects.count() == 1


def test_forgets_a_class_as_its_guests_do(event):
    general = mirror.ticket_class(event)
    inside(event, general)
    general.delete()
    assert rows() == {(event.pk, None, "checked_in", slot(SEVEN)): 1}


def test_is_counted_anew_by_the_migration(event):
    general = mirror.ticket_class(event)
    for at in (SEVEN, SEVEN, SEVEN + timedelta(hours=1), None):
        inside(event, general, at)
    mirror.guest(event, general)
    gone = mirror.guest(event, general)
    type(gone).objects.filter(pk=gone.pk).update(gone_at=SEVEN)
    StatusCount.objects.all().delete()
    StatusCount.objects.create(event=event, status="valid", count=9)
    migration = import_module("organizer.attendees.migrations.0004_counts_by_class_and_slot")
    migration.count_anew(apps, None)
    assert rows() == {
        (event.pk, general.pk, "valid", None): 1,
        (event.pk, general.pk, "checked_in", None): 1,
        (event.pk, general.pk, "checked_in", slot(SEVEN)): 2,
        (event.pk, general.pk, "checked_in", slot(SEVEN) + timedelta(hours=1)): 1,
    }


def test_folds_what_a_rush_left_though_no_walk_ends(event):
    general = mirror.ticket_class(event)
    of = {"event": event, "ticket_class": general}
    came = [StatusCount(**of, status="checked_in", slot=slot(SEVEN), count=1) for _ in range(CROWDED)]
    went = [StatusCount(**of, status="valid", count=-1) for _ in range(CROWDED)]
    StatusCount.objects.bulk_create([StatusCount(**of, status="valid", count=2 * CROWDED), *came, *went])
    elsewhere = mirror.event(event.connection)
    mirror.guest(elsewhere)
    before = rows()
    fold_counts()
    assert rows() == before
    assert StatusCount.objects.filter(event=event).count() == 2
    assert StatusCount.objects.filter(event=elsewhere).count() == 1


def test_looks_at_no_guest(event):
    mirror.guest(event)
    with CaptureQueriesContext(connection) as queries:
        figures.of([event], SEVEN, SEVEN + HOUR)
        figures.by_class(event)
    assert len(queries) == 2
    assert not any("attendees_attendee" in query["sql"] for query in queries)
