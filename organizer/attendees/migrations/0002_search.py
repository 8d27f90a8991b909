"""The index that search reads. SQLite scans one that covers; PostgreSQL looks words up by their trigrams."""

import sys

from django.db import DatabaseError, migrations, transaction

SQLITE = "CREATE INDEX attendee_search ON attendees_attendee (event_id, search, gone_at, id)"
POSTGRESQL = "CREATE INDEX attendee_search ON attendees_attendee USING gin (search gin_trgm_ops)"
NO_EXTENSION = """
Foyer's search is quick on PostgreSQL with the extension pg_trgm, and this user may not create it. Search works
without it, slowly. Let an administrator of the database run, and nothing needs to be migrated again:

    CREATE EXTENSION pg_trgm;
    CREATE INDEX attendee_search ON attendees_attendee USING gin (search gin_trgm_ops);

"""


def make(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor == "sqlite":
        schema_editor.execute(SQLITE)
    elif connection.vendor == "postgresql" and _has_extension(connection):
        schema_editor.execute(POSTGRESQL)


def _has_extension(connection):
    """Whether it is there now; without the right to make it, says what to do and goes on."""
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except DatabaseError:
        sys.stderr.write(NO_EXTENSION)
        return False
    return True


def drop(apps, schema_editor):
    schema_editor.execute("DROP INDEX IF EXISTS attendee_search")


class Migration(migrations.Migration):
    dependencies = [("attendees", "0001_initial")]
    operations = [migrations.RunPython(make, drop)]
