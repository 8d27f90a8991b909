from django.urls import path

from organizer.attendees import views

app_name = "attendees"
urlpatterns = [
    path("guests/", views.index, name="index"),
    path("guests/<uuid:attendee_id>/", views.detail, name="detail"),
    path("events/<uuid:event_id>/guests/", views.for_event, name="for_event"),
]
