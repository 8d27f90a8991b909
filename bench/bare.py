"""The yardstick of bench.desk and bench.intake: a bare view that does one durable insert in the same database.

With BARE_MIDDLEWARE it stands on Foyer's own server, behind what every answer passes; without, Django is alone.
"""

import os
from collections.abc import Callable
from hashlib import sha256
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")


def _make() -> Callable[..., Any]:
    import django
    from django.conf import settings
    from django.core.handlers.wsgi import WSGIHandler

    django.setup()
    settings.ROOT_URLCONF = "bench.bare"
    if not os.environ.get("BARE_MIDDLEWARE"):
        settings.MIDDLEWARE = []
    return WSGIHandler()


application = _make()

from django.db import connection  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402
from django.utils import timezone  # noqa: E402

from organizer.attendees.models import StatusCount  # noqa: E402
from organizer.webhooks.models import Delivery, Vendor  # noqa: E402


def insert(request: HttpRequest, event_id: str) -> HttpResponse:
    row = StatusCount.objects.create(event_id=event_id, status="bare", count=0)
    text = f"{row.pk}"
    return HttpResponse(text, headers={"Content-Length": str(len(text))})


def store(request: HttpRequest, vendor_id: str) -> HttpResponse:
    """The row that the receiver writes of such a body, by one statement that is worded beforehand."""
    now, body = timezone.now(), request.body
    key = sha256(request.headers["X-Webhook-Id"].encode()).digest()
    with connection.cursor() as cursor:
        cursor.execute(STORE, [key, body, sha256(body).digest(), len(body), "{}", now, now, vendor_id])
    return HttpResponse("{}", headers={"Content-Length": "2"})


STORE = f"""INSERT INTO {Delivery._meta.db_table} (organization_id, vendor_id, dedupe_key, body, body_hash, body_size,
  headers, received_at, settled_at, delivery_id, id_header, beginning, content_type, source, proxies, auth, event,
  reference, reference_field, flags, action, outcome, duplicates, took)
  SELECT organization_id, id, %s, %s, %s, %s, %s, %s, %s, 'an id of a delivery', 'X-Webhook-Id', '', '', '127.0.0.1', 0,
  'hmac', 'order.accepted', 'R-1', 'reference', '[]', 'reconcile', 'waiting', 0, 0
  FROM {Vendor._meta.db_table} WHERE id = %s"""  # noqa: S608 names of our own

urlpatterns = [path("insert/<uuid:event_id>/", insert), path("store/<uuid:vendor_id>/", store)]
