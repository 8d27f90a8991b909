from django.db import migrations, models
from django.db.models import F


def believe_what_is_there(apps, schema_editor):
    apps.get_model("connections", "Connection").objects.update(known_by=F("key_fingerprint"))


class Migration(migrations.Migration):
    dependencies = [("connections", "0001_initial")]
    operations = [
        migrations.AddField("connection", "known_by", models.CharField(default="", max_length=64)),
        migrations.RunPython(believe_what_is_there, migrations.RunPython.noop),
    ]
