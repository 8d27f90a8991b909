"""The short way writes what the engine's own way writes."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from organizer.accounts.models import AuditEntry
from organizer.attendees.models import Admission, Attendee, Scan, StatusCount
from organizer.sync import outbox
from organizer.sync.models import Command, Lane
from tests.door.acts import admit
from tests.door.test_desk import post
from tests.support import mirror

OWN = {"id", "seq", "key", "target_id", "target_name", "created_at", "due_at", "next_at", "fields"}


def columns(row, *without):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields} | dict.fromkeys(without)


def test_makes_the_command_that_the_outbox_makes(event, cast):
    quick, usual = (mirror.guest(event, barcode=code, first_name="A", last_name="B") for code in ("Q-1", "Q-2"))
    scan = admit(event, cast.dora, "Q-1")
    locked = Attendee.objects.select_for_update().get(pk=usual.pk)
    outbox.put("attendees.check_in", locked, by=cast.dora, lane=Lane.DOOR, now=scan.at)
    mine, theirs = Command.objects.order_by("seq")
    assert columns(mine, *OWN) == columns(theirs, *OWN)
    assert mine.fields == theirs.fields
    rows = [Attendee.objects.get(pk=guest.pk) for guest in (quick, usual)]
    said = [(row.status, row.checked_in_at, row.needs_attention, row.outbox | {"seq": 0}) for row in rows]
    assert said[0] == said[1]
    assert [row.outbox["seq"] for row in rows] == [mine.seq, theirs.seq]
    kept = StatusCount.objects.filter(event=event, status="checked_in").values_list("count", flat=True)
    assert list(kept) == [1, 1]


def test_keeps_every_row_readable_by_the_models(event, guest, cast):
    scan = admit(event, cast.dora, "FOY-ANA")
    admission, entry = Admission.objects.get(), AuditEntry.objects.get(verb="attendee.check_in")
    assert (admission.at, admission.by, admission.organization) == (scan.at, cast.dora, event.organization)
    assert (entry.target_id, entry.before, entry.by) == (str(guest.pk), {"status": "valid"}, cast.dora)
    assert columns(Scan.objects.get()) == columns(scan)


def test_is_few_trips(client, cast, event, guest):
    """SQLite, which is no trip away, is asked one statement at a time."""
    client.force_login(cast.dora)
    post(client, event, code="NOBODY-1")
    with CaptureQueriesContext(connection) as queries:
        post(client, event, code="FOY-ANA")
    assert len(queries) <= (8 if connection.vendor == "postgresql" else 13)
