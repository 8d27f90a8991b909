"""The index that search reads on SQLite, once more, and known to the model from now on.

SQLite changes a column by making the table anew, and only indexes that the model knows come along: 0003 lost the one
of 0002. PostgreSQL has its own kind under the same name, which nothing took away.
"""

from importlib import import_module

from django.db import migrations, models

SQLITE = import_module("organizer.attendees.migrations.0002_search").SQLITE


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(SQLITE.replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS"))


class Migration(migrations.Migration):
    dependencies = [("attendees", "0006_doors")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(make, migrations.RunPython.noop)],
            state_operations=[
                migrations.AddIndex(
                    "attendee",
                    models.Index(fields=["event", "search", "gone_at", "id"], name="attendee_search"),
                )
            ],
        )
    ]
