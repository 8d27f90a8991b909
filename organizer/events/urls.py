from django.urls import path

from organizer.events import views

app_name = "events"
urlpatterns = [
    path("", views.index, name="index"),
    path("calendar/", views.calendar, name="calendar"),
    path("calendar/feed/", views.feed, name="feed"),
    path("calendar/feed/new/", views.new_feed, name="new_feed"),
    path("calendar/feed/off/", views.end_feed, name="end_feed"),
    path("<uuid:event_id>/", views.detail, name="detail"),
    path("<uuid:event_id>/ticket-classes/", views.ticket_classes, name="ticket_classes"),
]
