"""The yardstick of bench.desk: a bare view that does one durable insert in the same database.

With BARE_MIDDLEWARE it stands on Foyer's own server, behind what every answer passes; without, Django is alone.
"""

import os
from collections.abc import Callable
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

from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402

from organizer.attendees.models import StatusCount  # noqa: E402


def insert(request: HttpRequest, event_id: str) -> HttpResponse:
    row = StatusCount.objects.create(event_id=event_id, status="bare", count=0)
    text = f"{row.pk}"
    return HttpResponse(text, headers={"Content-Length": str(len(text))})


urlpatterns = [path("insert/<uuid:event_id>/", insert)]
