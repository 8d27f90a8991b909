from django.urls import path

from organizer.imports import views

app_name = "imports"
urlpatterns = [
    path("events/<uuid:event_id>/import/", views.new, name="new"),
    path("imports/<uuid:import_id>/", views.detail, name="detail"),
    path("imports/<uuid:import_id>/columns/", views.columns, name="columns"),
    path("imports/<uuid:import_id>/letters/", views.letters, name="letters"),
    path("imports/<uuid:import_id>/start/", views.start, name="start"),
    path("imports/<uuid:import_id>/set-aside/", views.set_aside, name="set_aside"),
    path("imports/<uuid:import_id>/refused.csv", views.refused, name="refused"),
]
