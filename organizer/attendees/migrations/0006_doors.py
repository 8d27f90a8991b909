from collections import Counter
from datetime import UTC, datetime, timedelta

from django.db import migrations, models

EPOCH, SLOT = datetime(1970, 1, 1, tzinfo=UTC), timedelta(minutes=5)
REFUSALS = (
    "already_in", "recorded", "pending", "invited", "rejected", "cancelled", "odd", "other_event", "unknown",
    "no_ticket",
)  # fmt: skip


def name_doors(apps, schema_editor):
    """Who is inside came by the door of their admission, and is counted there."""
    attendee = apps.get_model("attendees", "Attendee")
    admission = apps.get_model("attendees", "Admission")
    status_count = apps.get_model("attendees", "StatusCount")
    inside = admission.objects.filter(undone_at=None, left_at=None).exclude(door="")
    here = inside.filter(attendee__status="checked_in", attendee__gone_at=None)
    figures = Counter()
    of_guest = ("attendee__event_id", "attendee__ticket_class_id", "attendee__checked_in_at", "door")
    for event, ticket_class, at, door in here.values_list(*of_guest).order_by().iterator():
        figures[event, ticket_class, at and at - (at - EPOCH) % SLOT, door] += 1
    for door in inside.values_list("door", flat=True).distinct().order_by():
        attendee.objects.filter(pk__in=inside.filter(door=door).values("attendee_id")).update(door=door)
    moved = [
        status_count(
            event_id=event, ticket_class_id=ticket_class, status="checked_in", slot=slot, door=name, count=count
        )
        for (event, ticket_class, slot, door), number in figures.items()
        for name, count in (("", -number), (door, number))
    ]  # fmt: skip
    status_count.objects.bulk_create(moved, batch_size=1_000)


def name_refusals(apps, schema_editor):
    apps.get_model("attendees", "Scan").objects.filter(verdict__in=REFUSALS).update(refused=True)


class Migration(migrations.Migration):
    dependencies = [("attendees", "0005_message_templates")]

    operations = [
        # Django would make SQLite's table anew, without the index that search reads
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.AddField("attendee", "door", models.TextField(default=""))],
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE attendees_attendee ADD COLUMN door text NOT NULL DEFAULT ''",
                    "ALTER TABLE attendees_attendee DROP COLUMN door",
                )
            ],
        ),
        migrations.AddField("scan", "refused", models.BooleanField(default=False)),
        migrations.AddField("statuscount", "door", models.TextField(default="")),
        migrations.AddIndex(
            "scan",
            models.Index(
                fields=["event", "refused", "verdict", "asked", "attendee"],
                name="scan_refused",
                condition=models.Q(refused=True),
            ),
        ),
        migrations.RunPython(name_doors, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(name_refusals, migrations.RunPython.noop, elidable=True),
    ]
