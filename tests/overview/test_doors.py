"""By which door guests came, whom doors turned away, and how many are missing: never by looking at all guests."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from organizer.attendees.mirror import fold_counts
from organizer.attendees.models import Admission, Attendee, Scan, StatusCount
from organizer.attendees.verdicts import REFUSALS
from organizer.overview.dayof import day_of
from organizer.overview.doors import doors, turned_away
from organizer.sync.models import Command
from tests.door.acts import admit, undo
from tests.overview.test_today import came, page
from tests.support import mirror
from tests.sync.engine import Engine
from tests.sync.scripted import Clock


def rows(of):
    return [(row.name, row.inside, row.lately) for row in doors(of, timezone.now() - timedelta(minutes=10))]


def reasons(of):
    return {one.why: one.tickets for one in turned_away(of)}


def let_in(of, by, *codes, door):
    for code in codes:
        mirror.guest(of, barcode=code)
        assert admit(of, by, code, door=door).verdict == "admitted"


class TestDoors:
    def test_are_told_apart_and_add_up_to_who_is_in(self, cast, event):
        let_in(event, cast.dora, "A-1", "A-2", door="Main door")
        let_in(event, cast.max, "B-1", door="Press desk")
        came(event, minutes=120)
        mirror.guest(event)
        assert rows(event) == [("Main door", 2, 2), ("Press desk", 1, 1), ("Elsewhere", 1, 0)]
        assert sum(row.inside for row in day_of(event).doors) == day_of(event).figures.inside

    def test_forget_who_was_taken_back_and_follow_who_came_in_by_another(self, cast, event):
        mirror.guest(event, barcode="A-1")
        undo(admit(event, cast.dora, "A-1", door="Main door"), cast.dora)
        assert rows(event) == []
        admit(event, cast.dora, "A-1", door="Press desk")
        assert rows(event) == [("Press desk", 1, 1)]
        undo(Scan.objects.filter(verdict="admitted").latest("at"), cast.dora)
        assert Attendee.objects.get().door == ""

    def test_count_who_was_approved_at_them(self, cast, event):
        mirror.guest(event, barcode="A-1", status="pending_approval")
        assert admit(event, cast.max, "A-1", door="Main door", approve=True).verdict == "admitted"
        assert rows(event) == [("Main door", 1, 1)]

    def test_are_kept_when_the_provider_has_answered(self, cast, event):
        guest = mirror.guest(event, barcode="A-1")
        admit(event, cast.dora, "A-1", door="Main door")
        engine = Engine(event.connection, Clock())
        engine.api.known[guest.remote_id] = guest.payload | {"door": "The provider's"}
        engine.run()
        guest.refresh_from_db()
        assert (guest.payload["status"], guest.payload["door"]) == ("checked_in", "The provider's")
        assert (guest.door, rows(event)) == ("Main door", [("Main door", 1, 1)])

    def test_are_none_of_what_a_provider_calls_so(self, event):
        came(event, door="Back door")
        assert rows(event) == [("Elsewhere", 1, 1)]

    def test_are_folded_as_all_figures_are(self, cast, event):
        let_in(event, cast.dora, *(f"A-{number}" for number in range(6)), door="Main door")
        before = rows(event)
        with transaction.atomic():
            fold_counts(StatusCount.objects.filter(event=event))
        assert rows(event) == before == [("Main door", 6, 6)]
        assert StatusCount.objects.filter(event=event, door="Main door").count() <= 2

    def test_were_named_by_the_migration_for_who_was_in_before(self, cast, event):
        let_in(event, cast.dora, "A-1", "A-2", door="Main door")
        mirror.guest(event, barcode="A-3")
        admit(event, cast.dora, "NOBODY")
        Attendee.objects.update(door="")
        StatusCount.objects.update(door="")
        Scan.objects.update(refused=False)
        migration = import_module("organizer.attendees.migrations.0006_doors")
        migration.name_doors(apps, None)
        migration.name_refusals(apps, None)
        assert rows(event) == [("Main door", 2, 2)]
        assert sorted(Attendee.objects.values_list("door", flat=True)) == ["", "Main door", "Main door"]
        assert reasons(event) == {"Code not recognised": 1}
        assert set(migration.REFUSALS) == set(REFUSALS)


class TestTurnedAway:
    def test_says_how_many_and_why(self, cast, event, olive):
        for number in range(2):
            mirror.guest(event, barcode=f"P-{number}", status="pending_approval")
            admit(event, cast.dora, f"P-{number}")
        mirror.guest(mirror.event(event.connection), barcode="X-1")
        for code in ("X-1", "NOBODY-1", "WIFI:S:x;;"):
            admit(event, cast.dora, code)
        let_in(event, cast.dora, "A-1", door="Main door")
        admit(event, cast.max, "A-1")
        assert reasons(event) == {
            "Not approved yet": 2,
            "Ticket for another event": 1,
            "Code not recognised": 1,
            "This is not a ticket code": 1,
            "Already checked in": 1,
        }
        said = page(olive, event)
        assert 'id="away-head">Turned away</h2><span class="n">6</span>' in said
        assert "<dt>Not approved yet</dt><dd>2</dd>" in said

    def test_counts_a_ticket_once_however_often_it_is_shown(self, cast, event):
        for _ in range(3):
            admit(event, cast.dora, "NOBODY-1")
        admit(event, cast.dora, "NOBODY-2")
        assert reasons(event) == {"Code not recognised": 2}

    def test_leaves_out_who_came_in_after_all(self, cast, event):
        mirror.guest(event, barcode="P-1", status="pending_approval")
        admit(event, cast.dora, "P-1")
        assert reasons(event) == {"Not approved yet": 1}
        admit(event, cast.max, "P-1", approve=True)
        assert reasons(event) == {}

    def test_is_not_who_was_let_in_or_taken_back(self, cast, event):
        mirror.guest(event, barcode="A-1")
        scan = admit(event, cast.dora, "A-1")
        assert admit(event, cast.dora, "A-1").verdict == "just_now"
        undo(scan, cast.dora)
        assert reasons(event) == {}

    def test_reads_the_refused_alone(self, cast, event):
        admit(event, cast.dora, "NOBODY-1")
        refused = Scan.objects.filter(event=event, refused=True).values_list("verdict", "asked", "attendee_id")
        if connection.vendor == "sqlite":  # PostgreSQL walks a table of one row, whatever indexes there are
            assert "USING COVERING INDEX scan_refused" in refused.explain()


class TestStillExpected:
    def test_goes_down_from_all_tickets_to_who_is_missing_now(self, event):
        for minutes in (31, 16, 16, 1):
            came(event, minutes=minutes)
        came(event, minutes=60 * 24 * 3)
        for _ in range(5):
            mirror.guest(event)
        arrivals = day_of(event).arrivals
        assert arrivals.at_first == 9  # one of the ten came days ago
        numbers = [left for _stretch, left in arrivals.left]
        assert numbers == sorted(numbers, reverse=True)
        assert numbers[-1] == arrivals.figures.going == 5
        assert [(one.count, left) for one, left in arrivals.told] == [(1, 8), (2, 6), (1, 5)]

    def test_is_drawn_until_now_and_no_further(self, event):
        came(event)
        mirror.guest(event)
        arrivals = day_of(event, event.starts_at + timedelta(minutes=7)).arrivals
        ends = [float(point.partition(",")[0]) / 1000 for point in arrivals.drawing.curve.points.split()]
        assert ends[0] == 0
        assert ends[-1] == pytest.approx(arrivals.line.share(arrivals.now), abs=0.05)
        assert ends[-1] < 1

    def test_is_told_to_who_does_not_see_it(self, event, olive):
        came(event, minutes=20)
        mirror.guest(event)
        said = page(olive, event)
        assert "1 of 2 are still expected.</title>" in said
        assert '<th scope="col" class="end">Still expected then</th>' in said
        assert 'class="curve" vector-effect' in said
        assert "style=" not in said.partition("<main")[2]

    def test_is_no_curve_where_nobody_has_a_ticket(self, event):
        assert day_of(event).arrivals.drawing.curve is None


def test_looks_at_no_guest_but_those_it_names(cast, event):
    let_in(event, cast.dora, "A-1", door="Main door")
    admit(event, cast.dora, "NOBODY-1")
    with CaptureQueriesContext(connection) as queries:
        doors(event, timezone.now())
        turned_away(event)
    assert len(queries) == 2
    assert not any("attendees_attendee" in query["sql"] for query in queries)
    assert Admission.objects.count() == Command.objects.count() == 1
