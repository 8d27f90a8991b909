from django.urls import include, path

from organizer.accounts import views as accounts
from organizer.events.views import pages as events
from organizer.overview import views as overview

organization = [
    path("door/", include("organizer.door.urls")),  # first: what a rush of people asks for
    path("", include("organizer.overview.urls")),
    path("events/", include("organizer.events.urls")),
    path("", include("organizer.attendees.urls")),
    path("webhooks/alerts/", include("organizer.alerts.urls")),
    path("webhooks/", include("organizer.webhooks.urls")),
    path("views/", include("organizer.lists.urls")),
    path("", include("organizer.imports.urls")),
    path("", include("organizer.orders.urls")),
    path("settings/", include("organizer.accounts.urls")),
    path("settings/", include("organizer.connections.urls")),
    path("", include("organizer.sync.urls")),
]

urlpatterns = [
    path("o/<slug:slug>/", include(organization)),
    path("", overview.home, name="home"),
    path("healthz", overview.healthz, name="healthz"),
    path("readyz", overview.readyz, name="readyz"),
    path("api/", include("organizer.orders.api_urls")),
    path("calendar/<slug:token>.ics", events.ics, name="ics"),
    path("theme/", accounts.theme, name="theme"),
    path("accounts/", include("allauth.urls")),
]

handler403 = accounts.forbidden
