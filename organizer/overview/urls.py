from django.urls import path

from organizer.overview import views

app_name = "overview"
urlpatterns = [
    path("", views.index, name="index"),
    path("settings/health/", views.health, name="health"),
    path("events/<uuid:event_id>/today/", views.today, name="today"),
]
