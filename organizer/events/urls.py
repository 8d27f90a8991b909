from django.urls import path

from organizer.events import views

app_name = "events"
urlpatterns = [
    path("", views.index, name="index"),
    path("<uuid:event_id>/", views.detail, name="detail"),
    path("<uuid:event_id>/ticket-classes/", views.ticket_classes, name="ticket_classes"),
]
