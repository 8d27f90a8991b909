from django.urls import include, path

from organizer.accounts import views as accounts
from organizer.overview import views as overview

organization = [
    path("", include("organizer.overview.urls")),
    path("events/", include("organizer.events.urls")),
    path("", include("organizer.attendees.urls")),
    path("door/", include("organizer.door.urls")),
    path("settings/", include("organizer.accounts.urls")),
    path("settings/", include("organizer.connections.urls")),
    path("", include("organizer.sync.urls")),
]

urlpatterns = [
    path("", overview.home, name="home"),
    path("healthz", overview.healthz, name="healthz"),
    path("readyz", overview.readyz, name="readyz"),
    path("theme/", accounts.theme, name="theme"),
    path("accounts/", include("allauth.urls")),
    path("o/<slug:slug>/", include(organization)),
]

handler403 = accounts.forbidden
