from django.contrib import admin
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path

from servers.event_api.api import api


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain")


urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("api/v1/", api.urls),
    path("admin/", admin.site.urls),
    path("", include("servers.console.urls")),
]
