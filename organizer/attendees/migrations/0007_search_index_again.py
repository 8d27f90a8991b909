from django.db import migrations

AGAIN = "CREATE INDEX IF NOT EXISTS attendee_search ON attendees_attendee (event_id, search, gone_at, id)"


def make(apps, schema_editor):
    """0003 made SQLite's table anew, and with it went what 0002 had made by hand."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(AGAIN)


class Migration(migrations.Migration):
    dependencies = [("attendees", "0006_doors")]
    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
