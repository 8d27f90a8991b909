"""The index that search reads. SQLite scans one that covers; PostgreSQL looks words up by their trigrams."""

from django.db import migrations

SQLITE = "CREATE INDEX attendee_search ON attendees_attendee (event_id, search)"
POSTGRESQL = "CREATE INDEX attendee_search ON attendees_attendee USING gin (search gin_trgm_ops)"
NO_EXTENSION = """
Foyer's search needs PostgreSQL's extension pg_trgm, and this user may not create it.
Let an administrator of the database run:  CREATE EXTENSION pg_trgm;  and migrate again.
"""


def make(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor == "sqlite":
        schema_editor.execute(SQLITE)
    elif connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'")
            if not cursor.fetchone()[0]:
                _create_extension(cursor)
        schema_editor.execute(POSTGRESQL)


def _create_extension(cursor):
    try:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except Exception as error:
        raise RuntimeError(NO_EXTENSION) from error


def drop(apps, schema_editor):
    schema_editor.execute("DROP INDEX IF EXISTS attendee_search")


class Migration(migrations.Migration):
    dependencies = [("attendees", "0001_initial")]
    operations = [migrations.RunPython(make, drop)]
