from collections import Counter
from datetime import UTC, datetime, timedelta

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count

EPOCH, SLOT = datetime(1970, 1, 1, tzinfo=UTC), timedelta(minutes=5)


def count_anew(apps, schema_editor):
    """What was counted before knows neither class nor slot."""
    attendee = apps.get_model("attendees", "Attendee")
    status_count = apps.get_model("attendees", "StatusCount")
    status_count.objects.all().delete()
    here = attendee.objects.filter(gone_at=None)
    figures = Counter()
    outside = here.exclude(status="checked_in").values_list("event_id", "ticket_class_id", "status")
    for event, ticket_class, status, count in outside.annotate(count=Count("pk")).order_by():
        figures[event, ticket_class, status, None] = count
    inside = here.filter(status="checked_in").values_list("event_id", "ticket_class_id", "status", "checked_in_at")
    for event, ticket_class, status, at in inside.order_by().iterator():
        figures[event, ticket_class, status, at and at - (at - EPOCH) % SLOT] += 1
    status_count.objects.bulk_create(
        [
            status_count(event_id=event, ticket_class_id=ticket_class, status=status, slot=slot, count=count)
            for (event, ticket_class, status, slot), count in figures.items()
        ],
        batch_size=1_000,
    )


class Migration(migrations.Migration):
    dependencies = [("attendees", "0003_leaner_indexes"), ("events", "0002_leaner_indexes")]

    operations = [
        migrations.AddField("statuscount", "slot", models.DateTimeField(null=True)),
        migrations.AddField(
            "statuscount",
            "ticket_class",
            models.ForeignKey(
                "events.ticketclass",
                django.db.models.deletion.SET_NULL,
                null=True,
                related_name="+",
                db_constraint=False,
                db_index=False,
            ),
        ),
        migrations.RunPython(count_anew, migrations.RunPython.noop, elidable=True),
    ]
