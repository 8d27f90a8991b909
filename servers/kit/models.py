from django.db import models

from servers.kit import clock
from servers.kit.ids import new_id


class Noun(models.Model):
    """What an API shows under an id of its own."""

    id = models.CharField(max_length=20, primary_key=True, default=new_id, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(default=clock.now)

    class Meta:
        abstract = True
