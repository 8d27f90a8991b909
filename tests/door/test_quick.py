"""The short way writes what the engine's own way writes."""

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from organizer.accounts.models import AuditEntry
from organizer.attendees import finding
from organizer.attendees.models import Admission, Attendee, Scan, StatusCount
from organizer.door.answers import TEMPLATE, answer
from organizer.door.queries import ScanRow
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


@pytest.mark.parametrize("name", ["Ana Lüthi", "<b>\"Ana\" & 'Co'</b>", "مريم \u202eX", "\ue000name\ue001"])
def test_the_filled_stencil_says_what_the_template_says(event, cast, name):
    row = ScanRow(admit(event, cast.dora, mirror.guest(event, barcode="S-1", first_name=name, last_name="").barcode))
    context = {
        "row": row, "event_id": event.pk, "organization": event.organization, "may_manage": False,
        "undo_url": reverse("door:undo", args=[event.organization.slug, event.pk]),
    }  # fmt: skip
    assert row.name == name
    assert answer(row, event.organization, may_manage=False) == render_to_string(TEMPLATE, context)


@pytest.mark.django_db(transaction=True)
def test_nothing_is_written_where_the_guest_changed_since_it_was_read(event, guest, cast, monkeypatch):
    """On SQLite, where a transaction holds all others up, nobody comes between: there the change comes first."""
    read, cancelled = finding.seen, Attendee.objects.filter(pk=guest.pk)

    def read_and_change(*args):
        found = read(*args)
        cancelled.update(status="deleted")
        return found

    monkeypatch.setattr(finding, "seen", read_and_change)
    if connection.vendor != "postgresql":
        cancelled.update(status="deleted")
    assert admit(event, cast.dora, "FOY-ANA").verdict == "cancelled"
    assert not Admission.objects.exists()
    assert not Command.objects.exists()


def test_is_few_trips(client, cast, event, guest):
    """The code reads as a name, which is one more. SQLite, which is no trip away, is asked one statement at a time."""
    client.force_login(cast.dora)
    post(client, event, code="NOBODY-1")
    with CaptureQueriesContext(connection) as queries:
        post(client, event, code="FOY-ANA")
    assert len(queries) <= (4 if connection.vendor == "postgresql" else 12)
