"""Indexes for many orders. What search reads: SQLite scans one that covers, PostgreSQL looks words up by trigrams."""

import sys

from django.conf import settings
from django.db import DatabaseError, migrations, models, transaction

SQLITE = "CREATE INDEX order_search ON orders_order (organization_id, search, id)"
POSTGRESQL = "CREATE INDEX order_search ON orders_order USING gin (search gin_trgm_ops)"
NO_EXTENSION = f"""
Foyer's search of orders is quick on PostgreSQL with the extension pg_trgm, and this user may not create it. Search
works without it, slowly. Let an administrator of the database run, and nothing needs to be migrated again:

    CREATE EXTENSION pg_trgm;
    {POSTGRESQL};

"""


def make_search(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor == "sqlite":
        schema_editor.execute(SQLITE)
    elif connection.vendor == "postgresql":
        try:
            with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
                cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except DatabaseError:
            sys.stderr.write(NO_EXTENSION)
        else:
            schema_editor.execute(POSTGRESQL)


def drop_search(apps, schema_editor):
    schema_editor.execute("DROP INDEX IF EXISTS order_search")


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_leaner_indexes"),
        ("connections", "0003_suppliers_have_connections"),
        ("orders", "0001_orders"),
        ("webhooks", "0004_million_rows"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="order",
            index=models.Index(fields=["vendor", "-id"], name="order_of_vendor"),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(fields=["vendor", "state", "-id"], name="order_of_vendor_by_state"),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(make_search, drop_search)],
            state_operations=[
                migrations.AddIndex("order", models.Index(fields=["organization", "search", "id"], name="order_search"))
            ],
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                condition=models.Q(("unexpected_move", True)),
                fields=["organization", "-id", "unexpected_move"],
                name="order_unexpected",
            ),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                condition=models.Q(("state_due_at__isnull", False)),
                fields=["organization", "state_read_at", "vendor", "id"],
                name="order_state_read",
            ),
        ),
        migrations.AddIndex(
            model_name="order",
            index=models.Index(
                condition=models.Q(("fulfilment_due_at__isnull", False)),
                fields=["organization", "fulfilment_read_at", "vendor", "id"],
                name="order_fulfilment_read",
            ),
        ),
    ]
