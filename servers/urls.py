from django.contrib import admin
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path
from django.views.defaults import page_not_found

from servers.event_api.api import api, openapi
from servers.supplier_api import api as supplier_api


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The API's own 404 is put into words by its middleware; drawing a page for it would be for nothing."""
    if request.path_info.startswith("/api/"):
        return HttpResponse(status=404, content_type="text/plain")
    return page_not_found(request, exception)


handler404 = not_found

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("api/v1/openapi.json", openapi),
    path("api/v1/", api.urls),
    path("api/vendor/v1/openapi.json", supplier_api.openapi),
    path("api/vendor/v1/", supplier_api.api.urls),
    path("admin/", admin.site.urls),
    path("", include("servers.console.urls")),
]
